package dev.walmerge.engine.shard;

import dev.walmerge.engine.Trouble;
import dev.walmerge.engine.writeback.ServerNotReadyException;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats what a database refused, with growing pauses, until it goes through or the engine stops. */
final class BackOff {
    private static final Logger LOG = LoggerFactory.getLogger(BackOff.class);
    private static final long FIRST_MILLIS = 50;
    private static final long MAX_MILLIS = 5_000;
    /** How often a pause looks whether it should go on. */
    private static final long LOOK_NANOS = 20_000_000;

    private final String what;
    private final BooleanSupplier stopped;
    private long pauseMillis = FIRST_MILLIS;
    private int failures;
    private volatile Trouble trouble;

    BackOff(String what, BooleanSupplier stopped) {
        this.what = what;
        this.stopped = stopped;
    }

    /**
     * Pauses after a failure.
     *
     * @throws StoppedException when there is no point in going on
     * @throws ServerNotReadyException when the server is about to end, and waits for us
     */
    void failed(SQLException e) throws StoppedException {
        if (ServerNotReadyException.isMeantBy(e)) {
            throw new ServerNotReadyException(e);
        }
        failures++;
        long nowNanos = System.nanoTime();
        trouble = new Trouble(what, e, trouble == null ? nowNanos : trouble.sinceNanos());
        LOG.warn("{} failed ({} in a row), {}, again in {} ms", what, failures, Trouble.describe(e), pauseMillis);
        long end = nowNanos + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
        for (long left = LOOK_NANOS; left > 0; left = end - System.nanoTime()) {
            if (stopped.getAsBoolean()) {
                throw new StoppedException();
            }
            LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
        }
        pauseMillis = Math.min(MAX_MILLIS, pauseMillis * 2);
    }

    void succeeded() {
        if (failures > 0) {
            LOG.info("{} goes through again after {} failures", what, failures);
        }
        failures = 0;
        trouble = null;
        pauseMillis = FIRST_MILLIS;
    }

    /** What fails now, or null. Any thread. */
    Trouble trouble() {
        return trouble;
    }

    /** The engine stops: unwind the thread. */
    static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StoppedException() {
            super(null, null, false, false);
        }
    }
}
