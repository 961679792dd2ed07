package dev.walmerge.engine.journal;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.engine.journal.RecordEncoder.Body;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends what the reader of the slot hands over: ops as they come, then the COMMIT record. A transaction is never held
 * in memory. Used by that one thread, except for {@link #lastEndLsn}.
 *
 * <p>A reader that lost its connection goes on with the same writer: transactions the journal holds already are
 * ignored, and one that was cut off is abandoned and appended again.
 */
public final class JournalWriter implements OpSink {
    /** Readers are woken after so many records inside one transaction. */
    private static final int WAKE_RECORDS = 256;

    private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);
    private static final int KEPT_BUFFER_BYTES = 1 << 20;

    private final Journal journal;
    private final Runnable wake;
    private final RecordBody body = new RecordBody();

    private volatile long lastEndLsn;
    private boolean open;
    private boolean ignored;
    private boolean hasOps;
    private boolean hasBarrier;
    private boolean hasRecords;
    private long commitLsn;
    private int sequence;
    private int records;

    JournalWriter(Journal journal, long startLsn, Runnable wake) {
        this.journal = journal;
        this.lastEndLsn = startLsn;
        this.wake = wake;
    }

    @Override
    public void begin(long commitLsn, long commitTimeMicros) {
        abandon();
        this.commitLsn = commitLsn;
        open = true;
        ignored = Lsn.isBefore(commitLsn, lastEndLsn);
        hasOps = false;
        hasBarrier = false;
        hasRecords = false;
        sequence = 0;
    }

    @Override
    public void op(Op op) {
        requireOpen();
        if (ignored) {
            return;
        }
        hasOps = true;
        hasRecords = true;
        body.writeOpHead(op);
        Body bytes = new Body(body.array(), body.length(), op.payload());
        int hash = DocumentHash.of(op.collection(), op.doc());
        int length = bytes.length();
        int offset = 0;
        while (length - offset > RecordLayout.MAX_BODY_BYTES) {
            boolean first = offset == 0;
            journal.append(
                    RecordLayout.KIND_PART,
                    first ? 0 : RecordLayout.FLAG_CONTINUES_PARTS,
                    hash,
                    first ? length : 0,
                    commitLsn,
                    bytes,
                    offset,
                    RecordLayout.MAX_BODY_BYTES);
            offset += RecordLayout.MAX_BODY_BYTES;
        }
        int flags = offset == 0 ? 0 : RecordLayout.FLAG_CONTINUES_PARTS;
        journal.append(RecordLayout.KIND_OP, flags, hash, sequence, commitLsn, bytes, offset, length - offset);
        Failpoint.AFTER_JOURNAL.reach();
        body.shrink(KEPT_BUFFER_BYTES);
        sequence++;
        if (++records % WAKE_RECORDS == 0) {
            wake.run();
        }
    }

    @Override
    public void barrier(String doc) {
        requireOpen();
        if (!ignored) {
            hasBarrier = true;
            hasRecords = true;
            body.writeBarrier(doc);
            if (!fits("a barrier")) {
                // Whoever waits for it must not wait for ever, and anyone may emit one.
                body.writeBarrier(null);
            }
            append(RecordLayout.KIND_BARRIER, 0, commitLsn, new Body(body.array(), body.length(), null));
        }
    }

    @Override
    public void policy(String collection, Policy policy) {
        requireOpen();
        if (!ignored) {
            body.writePolicy(collection, policy);
            if (!fits("the settings")) {
                return;
            }
            hasRecords = true;
            journal.inForce(collection, body.copy());
            append(RecordLayout.KIND_POLICY, 0, commitLsn, new Body(body.array(), body.length(), null));
        }
    }

    /** What is in force at the start. Once, before the first transaction. */
    public void inForce(Map<String, Policy> policies) {
        for (Map.Entry<String, Policy> each : policies.entrySet()) {
            body.writePolicy(each.getKey(), each.getValue());
            if (fits("the settings")) {
                journal.inForce(each.getKey(), body.copy());
            }
        }
        journal.putInForce();
    }

    @Override
    public void command(Command command) {
        requireOpen();
        if (!ignored) {
            body.writeCommand(command);
            if (!fits("a command")) {
                return;
            }
            // What came of it is to be persisted as that of an op.
            hasOps = true;
            hasRecords = true;
            append(RecordLayout.KIND_COMMAND, 0, commitLsn, new Body(body.array(), body.length(), null));
        }
    }

    @Override
    public void commit(long endLsn) {
        requireOpen();
        open = false;
        if (ignored || !hasRecords) {
            // Nothing of it concerns a shard: a record would only make the journal grow on someone else's traffic.
            return;
        }
        if (Lsn.isBefore(endLsn, lastEndLsn)) {
            throw new IllegalStateException(
                    "commits went backward, from " + Lsn.format(lastEndLsn) + " to " + Lsn.format(endLsn));
        }
        int flags = (hasOps ? RecordLayout.FLAG_HAS_OPS : 0) | (hasBarrier ? RecordLayout.FLAG_HAS_BARRIER : 0);
        // Before the record can be seen: who compares the two must never find everything written while it is not.
        lastEndLsn = endLsn;
        append(RecordLayout.KIND_COMMIT, flags, endLsn, Body.NONE);
        journal.committed(endLsn);
        wake.run();
    }

    /** Gives up the open transaction, if there is one: its reader is gone, the slot will send it again. */
    public void abandon() {
        if (open && hasRecords) {
            append(RecordLayout.KIND_ABANDON, 0, 0, Body.NONE);
            journal.abandoned();
            wake.run();
        }
        open = false;
    }

    /**
     * @throws java.io.UncheckedIOException when the journal's files are gone
     */
    @Override
    public boolean hasRoom() {
        return journal.hasRoom();
    }

    /** Whether a transaction was begun and not ended yet. */
    public boolean isOpen() {
        return open;
    }

    /** The end of the last commit appended, or where the journal started. Any thread. */
    public long lastEndLsn() {
        return lastEndLsn;
    }

    /** The schema lets nothing in that does not; a reader that ended here would end here at each start. */
    private boolean fits(String what) {
        boolean fits = body.length() <= RecordLayout.MAX_BODY_BYTES;
        if (!fits) {
            LOG.error(
                    "{} of {} bytes are ignored: a record holds {}", what, body.length(), RecordLayout.MAX_BODY_BYTES);
        }
        return fits;
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException("no transaction is open");
        }
    }

    private void append(byte kind, int flags, long lsn, Body bytes) {
        journal.append(kind, flags, 0, 0, lsn, bytes, 0, bytes.length());
        Failpoint.AFTER_JOURNAL.reach();
    }
}
