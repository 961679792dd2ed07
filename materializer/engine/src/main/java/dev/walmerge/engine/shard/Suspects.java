package dev.walmerge.engine.shard;

import dev.walmerge.engine.writeback.DocumentKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Finds the documents that another process, or a document that was evicted, left refused: pages through the tables at the
 * start and every now and then. Those in memory see to themselves. Single thread.
 */
final class Suspects {
    private static final int PAGE = 500;

    private final Source source;
    private final long pauseNanos;
    private final Deque<DocumentKey> found = new ArrayDeque<>();
    private DocumentKey last;
    private long dueNanos = Long.MIN_VALUE;

    @FunctionalInterface
    interface Source {
        /** At most {@code limit} suspects behind {@code after}, or from the first one on, in order; null when it can't say. */
        List<DocumentKey> page(DocumentKey after, int limit);
    }

    /** @param pauseNanos between the end of a round and the next */
    Suspects(Source source, long pauseNanos) {
        this.source = source;
        this.pauseNanos = pauseNanos;
    }

    /** The next one to look after, or null. */
    DocumentKey next(long nowNanos) {
        if (found.isEmpty() && dueNanos <= nowNanos) {
            List<DocumentKey> page = source.page(last, PAGE);
            if (page != null && page.size() == PAGE) {
                last = page.get(PAGE - 1);
            } else {
                last = null;
                dueNanos = nowNanos + pauseNanos;
            }
            if (page != null) {
                found.addAll(page);
            }
        }
        return found.poll();
    }
}
