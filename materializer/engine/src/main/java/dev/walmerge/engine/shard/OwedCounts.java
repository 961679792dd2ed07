package dev.walmerge.engine.shard;

import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.writeback.DocumentKey;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * The op counts that rows lack of documents which were written, and evicted, in the middle of a transaction. No row may count
 * ops of a transaction before its end, or it would count them again when they come again; so once it has ended, these
 * documents are loaded and written once more. Single thread.
 */
final class OwedCounts {
    /** @param openOps those of {@code ops} whose transaction has not ended */
    private record Count(int ops, int openOps) {}

    private final Map<DocumentKey, Count> counts = new HashMap<>();
    /** Those whose transaction has ended. */
    private final Queue<DocumentKey> due = new ArrayDeque<>();

    private long floorLsn;

    /** The document leaves memory. */
    void evicted(ResidentDocument document) {
        if (document.uncountedOps > 0) {
            counts.put(document.key, new Count(document.uncountedOps, document.openOps));
        }
    }

    /** The document was loaded again. */
    void restore(ResidentDocument document) {
        Count count = counts.get(document.key);
        if (count != null) {
            document.opCount += count.ops;
            document.uncountedOps = count.ops;
            document.openOps = count.openOps;
        }
    }

    /** The document was handed over, with all that a row may count. */
    void written(ResidentDocument document) {
        document.uncountedOps = document.openOps;
        if (document.openOps == 0) {
            counts.remove(document.key);
        }
    }

    /**
     * The open transaction ended.
     *
     * @param isCommitted whether its ops don't come again
     * @param startLsn the end of the commit before
     */
    void end(boolean isCommitted, long startLsn) {
        if (counts.isEmpty()) {
            return;
        }
        counts.replaceAll((key, count) -> new Count(isCommitted ? count.ops : count.ops - count.openOps, 0));
        counts.values().removeIf(count -> count.ops == 0);
        if (due.isEmpty()) {
            floorLsn = startLsn;
        }
        due.clear();
        due.addAll(counts.keySet());
    }

    /** How much of an LSN rows can hold, counts too. */
    long limit(long lsn) {
        return isOwed() ? Lsn.min(lsn, floorLsn) : lsn;
    }

    boolean isOwed() {
        return next() != null;
    }

    boolean isOwed(DocumentKey key) {
        return counts.containsKey(key);
    }

    /** One whose transaction has ended, or null; the same one until it is settled. */
    DocumentKey next() {
        while (!due.isEmpty() && !counts.containsKey(due.peek())) {
            due.remove();
        }
        return due.peek();
    }
}
