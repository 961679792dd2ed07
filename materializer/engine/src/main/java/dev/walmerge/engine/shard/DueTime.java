package dev.walmerge.engine.shard;

/** When a document must be seen to if no op comes. */
final class DueTime {
    private DueTime() {}

    /**
     * @param behind whether the shard is far behind the slot
     * @return {@link DueHeap#NEVER} if there is nothing to do
     */
    static long of(ResidentDocument document, FlushPolicy policy, boolean behind) {
        if (document.dirty) {
            // A tombstone does not wait, unless Postgres refused it.
            boolean tombstone = document.erasure != null && document.rowsRetry == null;
            return document.urgent != null || tombstone
                    ? Long.MIN_VALUE
                    : policy.dueNanos(
                            document.firstDirtyNanos, document.lastOpNanos, policy.nextAllowedNanos(document), behind);
        }
        if (document.corrupt) {
            return document.corruptFlagged ? DueHeap.NEVER : Long.MIN_VALUE;
        }
        long retry = Math.min(Retry.due(document.rowsRetry), Retry.due(document.docsRetry));
        if (document.tailRows == 0 || document.foldRefused || document.rowsRetry != null) {
            return retry;
        }
        long fold = policy.foldNanos(document.lastOpNanos);
        return Math.min(retry, document.foldRetry == null ? fold : Math.max(fold, document.foldRetry.dueNanos()));
    }
}
