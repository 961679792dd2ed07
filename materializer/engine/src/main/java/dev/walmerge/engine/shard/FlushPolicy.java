package dev.walmerge.engine.shard;

import dev.walmerge.engine.Policy;
import dev.walmerge.engine.writeback.StalenessBound;

/**
 * When a dirty document is written. Times are nanoseconds of the shard's clock.
 *
 * <pre>
 *  first op    last op
 *     |-----------|--- debounce --&gt;|                       soft: the earlier of the two
 *     |------------------ interval -----&gt;|
 *     |   last write + cost / budget ---------&gt;|           not before this
 *     |------------------------- staleness max --------&gt;|  but never after that
 * </pre>
 */
final class FlushPolicy {
    /** No budget was spent yet. */
    static final long ANY_TIME = Long.MIN_VALUE;

    // What a write-back of text, state and expression index costs in WAL, fitted to measurements at 5 and 100 kB of
    // text (34 and 270 kB); a document whose text stays costs little, because its row stays HOT.
    private static final long TEXT_BASE_BYTES = 20_000;
    private static final double BYTES_PER_TEXT_UNIT = 2.5;
    private static final long ROW_BASE_BYTES = 1_000;
    // The same of blocks of 200 units: one whose text is another (1.6 kB), one that only moved (0.34 kB).
    private static final long BLOCK_BASE_BYTES = 800;
    private static final long BYTES_PER_BLOCK_UNIT = 4;
    private static final long MOVED_BLOCK_BYTES = 350;

    private final Policy policy;
    private final long debounceNanos;
    private final long intervalNanos;
    private final long stalenessMaxNanos;
    private final long foldIdleNanos;

    FlushPolicy(Policy policy) {
        this.policy = policy;
        this.debounceNanos = policy.flushDebounce().toNanos();
        this.intervalNanos = policy.flushInterval().toNanos();
        this.stalenessMaxNanos = policy.stalenessMax().toNanos();
        this.foldIdleNanos = policy.foldIdle().toNanos();
    }

    Policy policy() {
        return policy;
    }

    /**
     * When to write.
     *
     * @param firstDirty when the oldest change that is not written came
     * @param lastOp when the newest came
     * @param nextAllowed when the budget allows another write, or {@link #ANY_TIME}
     * @param behind whether the shard is far behind: everything waits as long as it may
     */
    long dueNanos(long firstDirty, long lastOp, long nextAllowed, boolean behind) {
        long last = firstDirty + stalenessMaxNanos;
        if (behind) {
            return last;
        }
        long soft = Math.min(lastOp + debounceNanos, firstDirty + intervalNanos);
        return Math.min(Math.max(soft, nextAllowed), last);
    }

    /** Which rule gave the result of {@link #dueNanos}. */
    StalenessBound bound(long firstDirty, long lastOp, long nextAllowed, boolean behind) {
        long last = firstDirty + stalenessMaxNanos;
        long soft = Math.min(lastOp + debounceNanos, firstDirty + intervalNanos);
        if (behind || Math.max(soft, nextAllowed) > last) {
            return StalenessBound.STALENESS_MAX;
        }
        if (nextAllowed > soft) {
            return StalenessBound.BUDGET;
        }
        return lastOp + debounceNanos <= firstDirty + intervalNanos ? StalenessBound.DEBOUNCE : StalenessBound.INTERVAL;
    }

    /** When a document that had its last op at {@code lastOp} counts as idle and its tail is folded. */
    long foldNanos(long lastOp) {
        return lastOp + foldIdleNanos;
    }

    /** When the budget allows another write; asked anew each time, as a changed budget holds for what was written before. */
    long nextAllowedNanos(ResidentDocument document) {
        return document.flushedWalBytes == 0
                ? ANY_TIME
                : document.flushedNanos + (long) (document.flushedWalBytes * 1e9 / policy.walBudgetBytesPerSecond());
    }

    /**
     * What a write costs, in bytes of WAL.
     *
     * @param textUnits UTF-16 units of the text, or 0 when it is not sent
     * @param jsonUnits the same of the JSON
     * @param storedBytes of tail or state
     */
    static long walBytes(long textUnits, long jsonUnits, long storedBytes) {
        long text = textUnits == 0 ? 0 : TEXT_BASE_BYTES + (long) (BYTES_PER_TEXT_UNIT * textUnits);
        return ROW_BASE_BYTES + text + jsonUnits + storedBytes;
    }

    /**
     * What writing blocks costs besides.
     *
     * @param changed how many have another text, or are new
     * @param changedUnits the UTF-16 units of those
     * @param moved how many of the others have another place
     */
    static long blockBytes(int changed, long changedUnits, int moved) {
        return changed * BLOCK_BASE_BYTES + changedUnits * BYTES_PER_BLOCK_UNIT + moved * MOVED_BLOCK_BYTES;
    }
}
