package dev.walmerge.decoder.pgoutput;

import java.util.List;

/**
 * Receives what one stream of logical replication messages says, in stream order, on the thread that decodes. Buffers
 * and tuples are views that are valid only during the call. LSNs and transaction ids are unsigned; times are
 * microseconds since the Unix epoch.
 *
 * <p>What comes between {@link #onBegin} and {@link #onCommit} is committed. What comes between {@link #onStreamStart}
 * and {@link #onStreamStop} is part of a transaction that may still grow, lose a part, or be lost: it counts only once
 * {@link #onStreamCommit} names it. The {@code xid} of a row is that of the innermost transaction that wrote it if it
 * comes in such a block, and otherwise the one of {@code onBegin}.
 *
 * <p>Calls for what a session must ask for (see {@link Protocol}) throw unless they are overridden: a handler that let
 * them pass would lose transactions.
 */
public interface ReplicationHandler {
    /** The xid of what belongs to no transaction. */
    int NO_XID = 0;

    /** @param commitLsn where the commit record of the transaction starts */
    void onBegin(long commitLsn, long commitTimeMicros, int xid);

    /** {@code endLsn}, where the commit record ends, is what a slot may be told once the transaction is durable. */
    void onCommit(long commitLsn, long endLsn, long commitTimeMicros);

    /**
     * Comes before the first row of a relation in a session, and again whenever the server is not sure that its shape
     * is known. It counts from here on in the order of the stream, whichever transaction it came in, and whether that
     * one commits or not.
     */
    void onRelation(int xid, Relation relation);

    void onInsert(int xid, Relation relation, Tuple row);

    /**
     * @param oldRow what was sent of the row before: {@link OldRow#NONE} unless the key changed or the replica identity
     *     is full
     * @param before that; no columns if {@code NONE}
     * @param after the row, where a value that is stored out of line and did not change is not sent
     */
    default void onUpdate(int xid, Relation relation, OldRow oldRow, Tuple before, Tuple after) {}

    /** @param oldRow never {@link OldRow#NONE} */
    default void onDelete(int xid, Relation relation, OldRow oldRow, Tuple before) {}

    default void onTruncate(int xid, List<Relation> relations, boolean cascade, boolean restartIdentity) {}

    /**
     * What {@code pg_logical_emit_message} wrote. In a streamed transaction {@code xid} is the outermost one, so a
     * message of a part that is undone stays; outside of any it is {@link #NO_XID}.
     */
    void onMessage(int xid, boolean transactional, long lsn, String prefix, byte[] buffer, int offset, int length);

    /** Describes a type that is not built in, before the relation that has a column of it. */
    default void onType(int xid, int oid, String schema, String name) {}

    /**
     * The transaction was replayed from another server.
     *
     * @param commitLsn where it was committed there; 0 in a transaction that is streamed
     */
    default void onOrigin(long commitLsn, String name) {}

    /**
     * A block of a transaction that is not over. Blocks do not nest, but whole transactions and blocks of others may
     * stand between two of its blocks.
     *
     * @param first whether it is the first of this transaction in this session
     */
    default void onStreamStart(int xid, boolean first) {
        throw new UnsupportedOperationException("a streamed transaction");
    }

    /** The end of the block, not of the transaction. */
    default void onStreamStop(int xid) {
        throw new UnsupportedOperationException("a streamed transaction");
    }

    /** All of the transaction's blocks count now, in commit order with the others. See {@link #onCommit}. */
    default void onStreamCommit(int xid, long commitLsn, long endLsn, long commitTimeMicros) {
        throw new UnsupportedOperationException("a streamed transaction");
    }

    /**
     * Undoes what was sent with {@code subxid}: all of the transaction, which is then over, if that is {@code xid}.
     * Otherwise the rows that carry this very {@code subxid}; each transaction inside of that one has its own call.
     * There may be nothing to undo: PostgreSQL 18 also names subtransactions of a transaction that it never began to
     * send.
     *
     * @param abortLsn 0 unless the session asked for {@link Protocol.Streaming#PARALLEL}; may be 0 then too
     * @param abortTimeMicros 0 unless it did
     */
    default void onStreamAbort(int xid, int subxid, long abortLsn, long abortTimeMicros) {
        throw new UnsupportedOperationException("a streamed transaction");
    }

    /**
     * Begins a transaction that was prepared for two-phase commit; {@link #onPrepare} ends it.
     *
     * @param prepareLsn where the record of the PREPARE starts
     * @param endLsn where it ends
     */
    default void onBeginPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        throw new UnsupportedOperationException("a prepared transaction");
    }

    default void onPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        throw new UnsupportedOperationException("a prepared transaction");
    }

    /** Ends a streamed transaction as {@link #onPrepare} does. */
    default void onStreamPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        throw new UnsupportedOperationException("a prepared transaction");
    }

    /** It may have been prepared in an earlier session. */
    default void onCommitPrepared(long commitLsn, long endLsn, long commitTimeMicros, int xid, String gid) {
        throw new UnsupportedOperationException("a prepared transaction");
    }

    /** @param prepareEndLsn where the record of the PREPARE ended */
    default void onRollbackPrepared(
            long prepareEndLsn, long endLsn, long prepareTimeMicros, long rollbackTimeMicros, int xid, String gid) {
        throw new UnsupportedOperationException("a prepared transaction");
    }
}
