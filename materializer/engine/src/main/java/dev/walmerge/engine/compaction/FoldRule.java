package dev.walmerge.engine.compaction;

import dev.walmerge.engine.Policy;

/** Decides when the tail of a document becomes part of its state. */
public final class FoldRule {
    private FoldRule() {}

    /**
     * Whether a tail of that size is folded now rather than appended to.
     *
     * @param tailBytes of all tail rows, the one about to be written included
     * @param tailRows the same, counted
     * @param stateBytes of the stored state
     */
    public static boolean isTooLong(Policy policy, long tailBytes, int tailRows, long stateBytes) {
        double allowedBytes = Math.max(policy.foldBytes(), policy.foldRatio() * stateBytes);
        return tailBytes > allowedBytes || tailRows > policy.foldRows();
    }
}
