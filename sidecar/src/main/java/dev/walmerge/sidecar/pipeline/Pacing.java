package dev.walmerge.sidecar.pipeline;

import dev.walmerge.engine.OpSink;
import dev.walmerge.sidecar.replication.ReplicationException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What whoever feeds the sink from elsewhere must do meanwhile: wait for room, and let the server hear from us while no
 * stream is read. On the reader thread.
 */
public final class Pacing {
    private static final int STEPS_PER_KEEP_ALIVE = 256;
    private static final long NO_ROOM_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final KeepAlive keepAlive;
    private final BooleanSupplier stopping;
    private long steps;

    /** Lets the server hear from us while no stream is read. */
    @FunctionalInterface
    public interface KeepAlive {
        void run() throws ReplicationException;
    }

    /** {@code stopping} gives the rest up; what came of it will be read again. */
    public Pacing(KeepAlive keepAlive, BooleanSupplier stopping) {
        this.keepAlive = keepAlive;
        this.stopping = stopping;
    }

    /**
     * Before each op: returns when there is room for it.
     *
     * @throws CancellationException when the rest should be given up
     */
    void awaitRoom(OpSink sink) throws ReplicationException {
        if (steps++ % STEPS_PER_KEEP_ALIVE == 0) {
            keepAlive.run();
        }
        while (!sink.hasRoom() && !stopping.getAsBoolean()) {
            keepAlive.run();
            LockSupport.parkNanos(NO_ROOM_PARK_NANOS);
        }
        if (stopping.getAsBoolean()) {
            throw new CancellationException();
        }
    }
}
