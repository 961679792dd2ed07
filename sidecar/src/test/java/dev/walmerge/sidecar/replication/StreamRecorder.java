package dev.walmerge.sidecar.replication;

import dev.walmerge.decoder.pgoutput.MalformedMessageException;
import dev.walmerge.decoder.pgoutput.PgoutputDecoder;
import dev.walmerge.decoder.pgoutput.Relation;
import dev.walmerge.decoder.pgoutput.ReplicationHandler;
import dev.walmerge.decoder.pgoutput.Tuple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Keeps what a slot sent, and plays the part of who made it durable. Written by the reader's thread, read by the test's. */
final class StreamRecorder implements MessageConsumer, ReplicationHandler {
    private final PgoutputDecoder decoder = new PgoutputDecoder();
    private final List<String> committedDocs = new ArrayList<>();
    private final List<String> openDocs = new ArrayList<>();
    private long rows;
    private long commits;
    private boolean open;
    private long messageLsn;
    private long lastCommitEndLsn;
    private boolean commitLsnsRise = true;
    private boolean keepDocs = true;

    /** Counts rows and forgets them. */
    StreamRecorder countingOnly() {
        keepDocs = false;
        return this;
    }

    synchronized List<String> docs() {
        return List.copyOf(committedDocs);
    }

    synchronized long rows() {
        return rows;
    }

    synchronized long commits() {
        return commits;
    }

    synchronized boolean insideTransaction() {
        return open;
    }

    synchronized long lastCommitEndLsn() {
        return lastCommitEndLsn;
    }

    /** Whether each commit came after the one before, and with its own end as the message's position. */
    synchronized boolean commitLsnsRise() {
        return commitLsnsRise;
    }

    @Override
    public synchronized void accept(long lsn, byte[] buffer, int offset, int length) throws MalformedMessageException {
        messageLsn = lsn;
        decoder.decode(buffer, offset, length, this);
    }

    @Override
    public void onBegin(long commitLsn, long commitTimeMicros, int xid) {
        open = true;
    }

    @Override
    public void onCommit(long commitLsn, long endLsn, long commitTimeMicros) {
        open = false;
        commits++;
        commitLsnsRise &= endLsn == messageLsn && Long.compareUnsigned(endLsn, lastCommitEndLsn) > 0;
        lastCommitEndLsn = endLsn;
        committedDocs.addAll(openDocs);
        openDocs.clear();
    }

    @Override
    public void onRelation(int xid, Relation relation) {}

    @Override
    public void onInsert(int xid, Relation relation, Tuple row) {
        rows++;
        if (keepDocs) {
            int doc = relation.indexOf("doc");
            openDocs.add(new String(row.buffer(), row.offset(doc), row.length(doc), StandardCharsets.UTF_8));
        }
    }

    @Override
    public void onMessage(
            int xid, boolean transactional, long lsn, String prefix, byte[] buffer, int offset, int length) {}
}
