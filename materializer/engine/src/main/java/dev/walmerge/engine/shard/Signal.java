package dev.walmerge.engine.shard;

import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes one thread that found nothing to do. The waiter arms it, looks once more, then waits; a waker that made its work
 * visible before calling {@link #wake} is never missed. Nothing spins.
 */
public final class Signal {
    private volatile boolean armed;
    private volatile Thread waiter;

    /** The waiter's first step; look for work after it. */
    void arm() {
        waiter = Thread.currentThread();
        armed = true;
        VarHandle.fullFence();
    }

    /** The waiter's second step: returns when woken, after the time, or now and then for no reason. */
    void await(long maxNanos) {
        if (armed && maxNanos > 0) {
            LockSupport.parkNanos(this, maxNanos);
        }
        armed = false;
    }

    /** Any thread; cheap when nobody waits. */
    public void wake() {
        VarHandle.fullFence();
        if (armed) {
            armed = false;
            LockSupport.unpark(waiter);
        }
    }
}
