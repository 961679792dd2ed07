package dev.walmerge.engine.targets;

import dev.walmerge.engine.writeback.ConnectionSource;
import dev.walmerge.engine.writeback.Targets;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the targets up to date, on a thread and a connection of its own: whatever an app does to its table, documents go
 * on being written. Nothing of it can stop the engine.
 */
public final class TargetThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TargetThread.class);
    private static final long IDLE_MILLIS = 200;
    private static final long NO_TARGET_MILLIS = 2_000;
    private static final long AFTER_FAILURE_MILLIS = 1_000;
    private static final long CLOSE_MILLIS = 5_000;

    private final Targets targets;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::loop, "walmerge-targets");

    /** Starts the thread. */
    public static TargetThread start(ConnectionSource source) {
        TargetThread started = new TargetThread(new Targets(source));
        started.thread.start();
        return started;
    }

    private TargetThread(Targets targets) {
        this.targets = targets;
        thread.setDaemon(true);
    }

    private void loop() {
        boolean failing = false;
        try (targets) {
            long pauseMillis = 0;
            while (!closed.await(pauseMillis, TimeUnit.MILLISECONDS)) {
                try {
                    pauseMillis = switch (targets.round()) {
                        case NO_TARGET -> NO_TARGET_MILLIS;
                        case NOTHING_DUE -> IDLE_MILLIS;
                        case WORKED -> 0;
                    };
                    failing = false;
                } catch (SQLException e) {
                    if (!failing) {
                        LOG.warn("targets wait, SQLSTATE {}", e.getSQLState());
                    }
                    failing = true;
                    pauseMillis = AFTER_FAILURE_MILLIS;
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("targets interrupted");
        } catch (RuntimeException e) {
            LOG.error("targets end: {}", e.getClass().getName(), e);
        }
    }

    /** Ends the thread after the statement it runs, and waits for it, a few seconds at most. */
    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
