package dev.walmerge.engine.shard;

import dev.walmerge.engine.Patience;
import dev.walmerge.engine.writeback.Care;
import java.util.concurrent.ThreadLocalRandom;

/** When something that Postgres refused of a document is tried again: pauses double, and many documents spread. */
final class Retry {
    private static final int MAX_DOUBLINGS = 30;

    private long dueNanos = Long.MIN_VALUE;
    private int failures;
    private boolean dear = true;

    /**
     * Refused once more.
     *
     * @param isDear whether a try costs time, so that none is made before it is due, even for new content
     */
    void refused(long nowNanos, Patience patience, boolean isDear) {
        dear = isDear;
        long doubled = patience.retryFirstMillis() << Math.min(failures, MAX_DOUBLINGS);
        long pauseMillis = doubled <= 0 ? patience.retryMaxMillis() : Math.min(doubled, patience.retryMaxMillis());
        failures++;
        double jitter = 0.75 + ThreadLocalRandom.current().nextDouble() / 2;
        dueNanos = nowNanos + (long) (pauseMillis * 1e6 * jitter);
    }

    /** When the next try is due; at once for what another process found refused. */
    long dueNanos() {
        return dueNanos;
    }

    /** How something is written at that time whose retry may be null, which is when nothing was refused. */
    static Care care(Retry retry, long nowNanos) {
        if (retry == null) {
            return Care.WITH_OTHERS;
        }
        return retry.dueNanos <= nowNanos || !retry.dear ? Care.ALONE : Care.NOT_NOW;
    }

    static long due(Retry retry) {
        return retry == null ? DueHeap.NEVER : retry.dueNanos;
    }
}
