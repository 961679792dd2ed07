package dev.walmerge.decoder.pgoutput;

import java.util.List;

/** Counts callbacks and keeps nothing. */
class IgnoringHandler implements ReplicationHandler {
    private int calls;

    final int calls() {
        return calls;
    }

    @Override
    public void onBegin(long commitLsn, long commitTimeMicros, int xid) {
        calls++;
    }

    @Override
    public void onCommit(long commitLsn, long endLsn, long commitTimeMicros) {
        calls++;
    }

    @Override
    public void onRelation(int xid, Relation relation) {
        calls++;
    }

    @Override
    public void onInsert(int xid, Relation relation, Tuple row) {
        calls++;
    }

    @Override
    public void onUpdate(int xid, Relation relation, OldRow oldRow, Tuple before, Tuple after) {
        calls++;
    }

    @Override
    public void onDelete(int xid, Relation relation, OldRow oldRow, Tuple before) {
        calls++;
    }

    @Override
    public void onTruncate(int xid, List<Relation> relations, boolean cascade, boolean restartIdentity) {
        calls++;
    }

    @Override
    public void onMessage(
            int xid, boolean transactional, long lsn, String prefix, byte[] buffer, int offset, int length) {
        calls++;
    }

    @Override
    public void onType(int xid, int oid, String schema, String name) {
        calls++;
    }

    @Override
    public void onOrigin(long commitLsn, String name) {
        calls++;
    }

    @Override
    public void onStreamStart(int xid, boolean first) {
        calls++;
    }

    @Override
    public void onStreamStop(int xid) {
        calls++;
    }

    @Override
    public void onStreamCommit(int xid, long commitLsn, long endLsn, long commitTimeMicros) {
        calls++;
    }

    @Override
    public void onStreamAbort(int xid, int subxid, long abortLsn, long abortTimeMicros) {
        calls++;
    }

    @Override
    public void onBeginPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        calls++;
    }

    @Override
    public void onPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        calls++;
    }

    @Override
    public void onStreamPrepare(long prepareLsn, long endLsn, long prepareTimeMicros, int xid, String gid) {
        calls++;
    }

    @Override
    public void onCommitPrepared(long commitLsn, long endLsn, long commitTimeMicros, int xid, String gid) {
        calls++;
    }

    @Override
    public void onRollbackPrepared(
            long prepareEndLsn, long endLsn, long prepareTimeMicros, long rollbackTimeMicros, int xid, String gid) {
        calls++;
    }
}
