package dev.walmerge.engine.retention;

import dev.walmerge.engine.writeback.ConnectionSource;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the rounds of {@link Retention} on a thread and a connection of its own, until it is closed or fenced. */
public final class RetentionThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionThread.class);
    private static final long OPEN_ROUND_MILLIS = 1_000;
    private static final long CLOSE_MILLIS = 5_000;

    private final ConnectionSource source;
    private final Retention retention;
    private final Supplier<Duration> rotateAfter;
    private final Duration period;
    private final Consumer<Exception> fatal;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::loop, "walmerge-retention");

    /**
     * Starts the thread.
     *
     * @param rotateAfter asked at each round
     * @param period between rounds that have nothing to wait for
     * @param fatal told, on the thread, when the process must stop; the thread ends after that
     */
    public static RetentionThread start(
            ConnectionSource source,
            Retention retention,
            Supplier<Duration> rotateAfter,
            Duration period,
            Consumer<Exception> fatal) {
        RetentionThread retentionThread = new RetentionThread(source, retention, rotateAfter, period, fatal);
        retentionThread.thread.start();
        return retentionThread;
    }

    private RetentionThread(
            ConnectionSource source,
            Retention retention,
            Supplier<Duration> rotateAfter,
            Duration period,
            Consumer<Exception> fatal) {
        this.source = source;
        this.retention = retention;
        this.rotateAfter = rotateAfter;
        this.period = period;
        this.fatal = fatal;
        thread.setDaemon(true);
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

    private void loop() {
        Connection connection = null;
        try {
            long pauseMillis = 0;
            while (!closed.await(pauseMillis, TimeUnit.MILLISECONDS)) {
                try {
                    if (connection == null) {
                        connection = Session.open(source, "retention");
                    }
                    Round round = retention.run(connection, rotateAfter.get());
                    if (!round.trimmed().isEmpty()) {
                        LOG.info("op ring: trimmed leaves {}", round.trimmed());
                    }
                    pauseMillis = round.isOpen() ? OPEN_ROUND_MILLIS : period.toMillis();
                } catch (SQLException e) {
                    LOG.warn("retention goes on after {}", e.getSQLState());
                    if (connection != null) {
                        Session.closeQuietly(connection);
                        connection = null;
                    }
                    pauseMillis = period.toMillis();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("retention interrupted");
        } catch (FencedException | RuntimeException e) {
            fatal.accept(e);
        } finally {
            if (connection != null) {
                Session.closeQuietly(connection);
            }
        }
    }
}
