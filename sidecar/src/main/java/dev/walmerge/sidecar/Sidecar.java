package dev.walmerge.sidecar;

import dev.walmerge.engine.EngineStats;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.sidecar.OperatingException.Kind;
import dev.walmerge.sidecar.config.SidecarSettings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sidecar as a whole: reads one slot, merges, writes back, until it is closed. What passes by itself (a server that
 * restarts, another sidecar on the slot) is waited out; what an operator must fix ends it.
 *
 * <p>Thread-safe.
 */
public final class Sidecar implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sidecar.class);
    private static final long PAUSE_FIRST_MILLIS = 100;
    private static final long PAUSE_MAX_MILLIS = 5_000;
    private static final long WARN_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** How often memory may run out in a row while nothing is written, before someone must give more. */
    private static final int SHORT_OF_MEMORY_MAX = 3;

    private static final Duration DRAIN = Duration.ofSeconds(10);
    private static final long STOP_MILLIS = 20_000;

    private final SidecarSettings settings;
    private final Thread thread = new Thread(this::loop, "walmerge-reader");
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch firstAttempt = new CountDownLatch(1);
    private final StatusBoard board = new StatusBoard();
    private volatile Session session;
    private volatile OperatingException end;
    private boolean startOver;
    private long epoch;
    private long writtenLsn;
    private int shortOfMemory;
    private String warnedCode;
    private long warnedNanos;

    /**
     * A sidecar that does nothing before {@link #begin}.
     *
     * @param settings with a URL
     */
    public Sidecar(SidecarSettings settings) {
        this.settings = settings;
    }

    /** A sidecar that has begun. */
    public static Sidecar start(SidecarSettings settings) throws OperatingException {
        Sidecar sidecar = new Sidecar(settings);
        sidecar.begin();
        return sidecar;
    }

    /**
     * Returns when the slot is read, or when something that passes by itself must be waited for.
     *
     * @throws OperatingException when an operator must do something first
     */
    public void begin() throws OperatingException {
        thread.start();
        try {
            firstAttempt.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
        }
        if (end != null) {
            close();
            throw end;
        }
    }

    /**
     * Waits until the sidecar ends.
     *
     * @throws OperatingException when it ended by itself
     */
    public void awaitEnd() throws InterruptedException, OperatingException {
        thread.join();
        if (end != null) {
            throw end;
        }
    }

    /** Counts of the session now under way; null while there is none. */
    public EngineStats stats() {
        Session current = session;
        return current == null ? null : current.stats();
    }

    /** How it is now. Any thread; waits for nothing. */
    public Status status() {
        return board.read();
    }

    /** Writes what was read, lets the slot go and ends, within seconds. */
    @Override
    public void close() {
        stopped.countDown();
        board.stopping();
        Session current = session;
        if (current != null) {
            current.stop();
        }
        Failpoint.ending();
        try {
            thread.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop() {
        long pauseMillis = PAUSE_FIRST_MILLIS;
        try {
            while (stopped.getCount() > 0) {
                long startNanos = System.nanoTime();
                try {
                    runSession();
                    return;
                } catch (OperatingException e) {
                    if (stopped.getCount() == 0) {
                        // What was cut off on the way is no news.
                        return;
                    }
                    if (e.kind() != Kind.RETRYABLE) {
                        end = e;
                        return;
                    }
                    if (OperatingErrors.isShortOfMemory(e) && ++shortOfMemory == SHORT_OF_MEMORY_MAX) {
                        end = OperatingErrors.hopeless(e, shortOfMemory);
                        return;
                    }
                    boolean wasUp = System.nanoTime() - startNanos > TimeUnit.MILLISECONDS.toNanos(PAUSE_MAX_MILLIS);
                    pauseMillis = wasUp ? PAUSE_FIRST_MILLIS : Math.min(2 * pauseMillis, PAUSE_MAX_MILLIS);
                    warn(e, wasUp);
                    board.waitsFor(e.code());
                    // Until a session did: what comes in between may be a server that restarts.
                    startOver |= OperatingErrors.needsTables(e);
                }
                firstAttempt.countDown();
                if (stopped.await(pauseMillis, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            if (stopped.getCount() == 0) {
                // Libraries may refuse to begin in a process that ends.
                LOG.warn(
                        "stopped before the start was through: {}", e.getClass().getName());
                return;
            }
            end = new OperatingException(
                    Kind.FATAL,
                    "internal",
                    "an error of walmerge: " + e.getClass().getName(),
                    "report it",
                    e);
            throw e;
        } finally {
            board.ended(end);
            firstAttempt.countDown();
        }
    }

    /** The same reason again is no news, but silence would look like an end. */
    private void warn(OperatingException e, boolean wasUp) {
        long nowNanos = System.nanoTime();
        if (wasUp || !e.code().equals(warnedCode) || nowNanos - warnedNanos > WARN_AGAIN_NANOS) {
            warnedCode = e.code();
            warnedNanos = nowNanos;
            LOG.warn("{}: {}; trying again; cure: {}", e.code(), e.getMessage(), e.cure());
        }
    }

    private void runSession() throws OperatingException {
        try (Session opened = new Session(settings, startOver, epoch)) {
            session = opened;
            board.began(opened);
            if (stopped.getCount() == 0) {
                return;
            }
            try {
                opened.open();
            } finally {
                epoch = opened.epoch() == 0 ? epoch : opened.epoch();
            }
            startOver = false;
            firstAttempt.countDown();
            try {
                opened.run();
            } finally {
                noteProgress(opened.writtenLsn());
            }
            opened.drain(DRAIN);
        } catch (OutOfMemoryError e) {
            // What the session held is free again: what did not fit beside it may fit alone.
            throw OperatingErrors.of(e);
        } finally {
            board.sessionEnded();
            session = null;
        }
    }

    /** Memory may run out now and then, as long as something is written in between. */
    private void noteProgress(long lsn) {
        if (lsn != writtenLsn) {
            writtenLsn = lsn;
            shortOfMemory = 0;
        }
    }
}
