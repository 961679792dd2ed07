package dev.walmerge.sidecar.replication;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Cuts a link that is dead, from a thread of its own: the reader may be stuck inside a read or a write. A link is dead
 * when it received nothing for a time in which the server was asked for answers.
 */
final class LinkWatch implements AutoCloseable {
    private static final int CHECKS_PER_LIMIT = 10;
    /** How long a reader that was told to stop may take before the link is cut under it. */
    private static final long STOP_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ReplicationConnection connection;
    private final long silenceMaxNanos;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile long heldBackAtNanos;
    private volatile boolean cut;

    private LinkWatch(ReplicationConnection connection, Duration silenceMax) {
        this.connection = connection;
        this.silenceMaxNanos = silenceMax.toNanos();
        this.heldBackAtNanos = System.nanoTime();
    }

    static LinkWatch start(ReplicationConnection connection, Duration silenceMax) {
        LinkWatch watch = new LinkWatch(connection, silenceMax);
        Thread thread = new Thread(watch::run, "walmerge-slot-watch");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    /** The reader is not reading, so silence says nothing. */
    void heldBack() {
        heldBackAtNanos = System.nanoTime();
    }

    /** The reader was told to stop. */
    void expectStop() {
        stop.countDown();
    }

    /** Whether the link was found dead. */
    boolean cut() {
        return cut;
    }

    private void run() {
        try {
            long periodNanos = silenceMaxNanos / CHECKS_PER_LIMIT;
            long seenBytes = -1;
            long seenAtNanos = System.nanoTime();
            while (!stop.await(periodNanos, TimeUnit.NANOSECONDS)) {
                long bytes = connection.traffic().receivedBytes();
                long now = System.nanoTime();
                if (bytes != seenBytes || !connection.traffic().isCounting()) {
                    seenBytes = bytes;
                    seenAtNanos = now;
                }
                if (now - Math.max(seenAtNanos, heldBackAtNanos) > silenceMaxNanos) {
                    cut = true;
                    connection.abort();
                    return;
                }
            }
            if (!closed.await(STOP_GRACE_NANOS, TimeUnit.NANOSECONDS)) {
                connection.abort();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        stop.countDown();
    }
}
