package dev.walmerge.decoder.pgoutput;

/**
 * Receives what one stream of logical replication messages says, in stream order, on the thread that decodes. Buffers
 * and tuples are views that are valid only during the call.
 */
public interface ReplicationHandler {
    /**
     * @param commitLsn where the commit record of the transaction starts
     * @param commitTimeMicros microseconds since the Unix epoch
     */
    void onBegin(long commitLsn, long commitTimeMicros, int xid);

    /** {@code endLsn}, where the commit record ends, is what a slot may be told once the transaction is durable. */
    void onCommit(long commitLsn, long endLsn, long commitTimeMicros);

    /** Comes before the first row of a relation in a session, and again whenever its shape changed. */
    void onRelation(Relation relation);

    void onInsert(Relation relation, Tuple row);

    /** What {@code pg_logical_emit_message} wrote. */
    void onMessage(boolean transactional, long lsn, String prefix, byte[] buffer, int offset, int length);

    /** A message that is well formed and of no use here: an update, a delete, a truncate, a type, an origin. */
    void onSkipped(MessageKind kind);
}
