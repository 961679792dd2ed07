package dev.walmerge.decoder.pgoutput;

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
    public void onRelation(Relation relation) {
        calls++;
    }

    @Override
    public void onInsert(Relation relation, Tuple row) {
        calls++;
    }

    @Override
    public void onMessage(boolean transactional, long lsn, String prefix, byte[] buffer, int offset, int length) {
        calls++;
    }

    @Override
    public void onSkipped(MessageKind kind) {
        calls++;
    }
}
