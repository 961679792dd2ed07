package dev.walmerge.engine.journal;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.DocumentHash;
import dev.walmerge.engine.Lsn;
import dev.walmerge.engine.Op;
import dev.walmerge.engine.OpSink;
import dev.walmerge.engine.Policy;
import dev.walmerge.engine.failpoint.Failpoint;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

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

    private static final int KEPT_BUFFER_BYTES = 1 << 20;

    private final Journal journal;
    private final Runnable wake;
    private final CRC32C crc = new CRC32C();
    private final RecordBody body = new RecordBody();
    private ByteBuffer record = ByteBuffer.allocate(8192);

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
        body.writeOp(op);
        int hash = DocumentHash.of(op.collection(), op.doc());
        byte[] bytes = body.array();
        int length = body.length();
        int offset = 0;
        int flags = 0;
        while (length - offset > RecordLayout.MAX_BODY_BYTES) {
            append(RecordLayout.KIND_PART, flags, hash, commitLsn, bytes, offset, RecordLayout.MAX_BODY_BYTES);
            offset += RecordLayout.MAX_BODY_BYTES;
            flags = RecordLayout.FLAG_CONTINUES_PARTS;
        }
        append(RecordLayout.KIND_OP, flags, hash, commitLsn, bytes, offset, length - offset);
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
            append(RecordLayout.KIND_BARRIER, 0, 0, commitLsn, body.array(), 0, body.length());
        }
    }

    @Override
    public void policy(String collection, Policy policy) {
        requireOpen();
        if (!ignored) {
            hasRecords = true;
            body.writePolicy(collection, policy);
            append(RecordLayout.KIND_POLICY, 0, 0, commitLsn, body.array(), 0, body.length());
        }
    }

    @Override
    public void command(Command command) {
        requireOpen();
        if (!ignored) {
            // What came of it is to be persisted as that of an op.
            hasOps = true;
            hasRecords = true;
            body.writeCommand(command);
            append(RecordLayout.KIND_COMMAND, 0, 0, commitLsn, body.array(), 0, body.length());
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
        append(RecordLayout.KIND_COMMIT, flags, endLsn);
        wake.run();
    }

    /** Gives up the open transaction, if there is one: its reader is gone, the slot will send it again. */
    public void abandon() {
        if (open && hasRecords) {
            append(RecordLayout.KIND_ABANDON, 0, 0);
            wake.run();
        }
        open = false;
    }

    @Override
    public boolean hasRoom() {
        return journal.hasRoom();
    }

    /** The end of the last commit appended, or where the journal started. Any thread. */
    public long lastEndLsn() {
        return lastEndLsn;
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException("no transaction is open");
        }
    }

    private void append(byte kind, int flags, long lsn) {
        append(kind, flags, 0, lsn, body.array(), 0, 0);
    }

    private void append(byte kind, int flags, int hash, long lsn, byte[] from, int offset, int bodyLength) {
        int length = RecordLayout.BODY_OFFSET + bodyLength;
        if (record.capacity() < length) {
            record = ByteBuffer.allocate(Math.max(length, record.capacity() * 2));
        }
        record.clear();
        record.put(RecordLayout.VERSION_OFFSET, (byte) RecordLayout.VERSION)
                .put(RecordLayout.KIND_OFFSET, kind)
                .putShort(RecordLayout.FLAGS_OFFSET, (short) flags)
                .putInt(RecordLayout.HASH_OFFSET, hash)
                .putInt(RecordLayout.SEQUENCE_OFFSET, sequence)
                .putLong(RecordLayout.LSN_OFFSET, lsn)
                .put(RecordLayout.BODY_OFFSET, from, offset, bodyLength)
                .putInt(RecordLayout.CRC_OFFSET, RecordLayout.checksum(crc, record.array(), length));
        journal.append(record.array(), length);
        Failpoint.AFTER_JOURNAL.reach();
    }
}
