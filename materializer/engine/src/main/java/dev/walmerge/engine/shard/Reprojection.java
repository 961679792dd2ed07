package dev.walmerge.engine.shard;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.writeback.DocumentKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Writes every document of a shard, or one, so that its text, JSON and blocks are made by the settings of now: what the
 * command {@code reproject} orders. Slowly, so that edits are not late for it. The first document is the next one again after a
 * restart: documents written twice stay as they are. Single thread.
 */
final class Reprojection {
    /** The document can't be written now. */
    static final long NOT_NOW = -1;

    /** What all shards together may cost, in bytes of WAL a second. */
    private static final long WAL_BYTES_PER_SECOND = 4_000_000;
    /** What was not used for so long may be used at once: a thread that has nothing to do sleeps. */
    private static final long BURST_NANOS = 500_000_000;

    private static final int PAGE = 500;

    private final Documents documents;
    private final long nanosPerByte;
    /** Carried out together: a later one begins with the first document again. */
    private final List<Command> orders = new ArrayList<>(0);

    private final Deque<DocumentKey> page = new ArrayDeque<>();
    private DocumentKey last;
    private boolean pagedAll;
    private long nextNanos;

    /** The documents of the shard. */
    interface Documents {
        /** At most {@code limit} of any shard behind {@code after}, or from the first one on, in order; null when it can't say. */
        List<DocumentKey> page(DocumentKey after, int limit);

        boolean isMine(DocumentKey key);

        /** Hands a document to write-back; about what that costs in bytes of WAL, or {@link #NOT_NOW}. */
        long write(DocumentKey key);

        /** Whether all of them are committed. */
        boolean isWritten();

        /** The order was carried out. */
        void done(Command order);
    }

    Reprojection(Documents documents, int shards) {
        this.documents = documents;
        this.nanosPerByte = 1_000_000_000L * shards / WAL_BYTES_PER_SECOND;
    }

    void order(Command order) {
        orders.removeIf(earlier -> earlier.id() == order.id());
        orders.add(order);
        page.clear();
        last = null;
        pagedAll = false;
    }

    /** One document, if it is time. False when there is nothing to do now. */
    boolean step(long nowNanos) {
        if (orders.isEmpty() || nowNanos < nextNanos) {
            return false;
        }
        if (page.isEmpty() && !pagedAll) {
            return read();
        }
        if (page.isEmpty()) {
            return finish();
        }
        long walBytes = documents.write(page.peek());
        if (walBytes == NOT_NOW) {
            return false;
        }
        page.remove();
        nextNanos = Math.max(nextNanos, nowNanos - BURST_NANOS) + walBytes * nanosPerByte;
        return true;
    }

    private boolean read() {
        List<DocumentKey> read = documents.page(last, PAGE);
        if (read == null) {
            return false;
        }
        for (DocumentKey key : read) {
            last = key;
            if (documents.isMine(key) && isOrdered(key)) {
                page.add(key);
            }
        }
        pagedAll = read.size() < PAGE;
        return true;
    }

    private boolean isOrdered(DocumentKey key) {
        for (Command order : orders) {
            if (order.collection().equals(key.collection())
                    && (order.doc() == null || order.doc().equals(key.doc()))) {
                return true;
            }
        }
        return false;
    }

    private boolean finish() {
        if (!documents.isWritten()) {
            return false;
        }
        for (Command order : orders) {
            documents.done(order);
        }
        orders.clear();
        return true;
    }
}
