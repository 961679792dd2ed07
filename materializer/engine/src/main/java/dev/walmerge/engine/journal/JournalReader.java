package dev.walmerge.engine.journal;

import dev.walmerge.engine.Lsn;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptTailer;

/** Reads the journal for one shard, from the first record on. Single thread, no waiting. */
public final class JournalReader implements AutoCloseable {
    private static final int KEPT_BUFFER_BYTES = 2 << 20;
    /** A batch ends after so many bytes, so that the caller can look after its memory. */
    private static final int BATCH_BYTES = 1 << 20;

    private final Journal journal;
    private final ExcerptTailer tailer;
    private final int reader;
    private final int shards;
    private final JournalHandler handler;
    private final CRC32C crc = new CRC32C();
    private byte[] record = new byte[8192];
    private byte[] parts = new byte[0];
    private int partBytes;

    JournalReader(Journal journal, ExcerptTailer tailer, int reader, int shards, JournalHandler handler) {
        this.journal = journal;
        this.tailer = tailer;
        this.reader = reader;
        this.shards = shards;
        this.handler = handler;
    }

    /**
     * Hands over the next records, those of other shards left out.
     *
     * @return how many were read, at most {@code limit}; 0 when there is none
     * @throws CorruptJournalException if a record is not what was appended
     */
    public int poll(int limit) {
        int count = 0;
        long bytesRead = 0;
        while (count < limit && bytesRead < BATCH_BYTES) {
            int length;
            boolean mine;
            try (var document = tailer.readingDocument()) {
                if (!document.isPresent()) {
                    break;
                }
                Bytes<?> bytes = document.wire().bytes();
                length = Math.toIntExact(bytes.readRemaining());
                mine = isMine(bytes, length);
                if (mine) {
                    copy(bytes, length);
                }
            }
            count++;
            bytesRead += length;
            if (mine) {
                dispatch(length);
            }
        }
        if (count > 0) {
            journal.consumed(reader, bytesRead, tailer.cycle());
        }
        return count;
    }

    private boolean isMine(Bytes<?> bytes, int length) {
        if (length < RecordLayout.BODY_OFFSET) {
            throw new CorruptJournalException("a journal record of " + length + " bytes");
        }
        long start = bytes.readPosition();
        byte kind = bytes.readByte(start + RecordLayout.KIND_OFFSET);
        if (shards == 1 || (kind != RecordLayout.KIND_OP && kind != RecordLayout.KIND_PART)) {
            return true;
        }
        int read = bytes.readInt(start + RecordLayout.HASH_OFFSET);
        int hash = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? read : Integer.reverseBytes(read);
        return Math.floorMod(hash, shards) == reader;
    }

    private void copy(Bytes<?> bytes, int length) {
        if (record.length < length) {
            record = new byte[Math.max(length, record.length * 2)];
        }
        bytes.read(record, 0, length);
    }

    private void dispatch(int length) {
        ByteBuffer in = ByteBuffer.wrap(record, 0, length);
        int version = in.get(RecordLayout.VERSION_OFFSET);
        if (version != RecordLayout.VERSION) {
            throw new CorruptJournalException("a journal record of version " + version);
        }
        if (RecordLayout.checksum(crc, record, length) != in.getInt(RecordLayout.CRC_OFFSET)) {
            throw new CorruptJournalException("a journal record of " + length + " bytes fails its checksum");
        }
        try {
            dispatch(in.get(RecordLayout.KIND_OFFSET), in);
        } catch (BufferUnderflowException e) {
            throw new CorruptJournalException("a journal record of " + length + " bytes ends early");
        }
    }

    private void dispatch(byte kind, ByteBuffer in) {
        int flags = in.getShort(RecordLayout.FLAGS_OFFSET);
        long lsn = in.getLong(RecordLayout.LSN_OFFSET);
        in.position(RecordLayout.BODY_OFFSET);
        switch (kind) {
            case RecordLayout.KIND_PART -> addPart(in, (flags & RecordLayout.FLAG_CONTINUES_PARTS) == 0);
            case RecordLayout.KIND_OP -> {
                ByteBuffer body = in;
                if ((flags & RecordLayout.FLAG_CONTINUES_PARTS) != 0) {
                    addPart(in, false);
                    body = ByteBuffer.wrap(parts, 0, partBytes);
                }
                handler.op(
                        lsn,
                        in.getInt(RecordLayout.SEQUENCE_OFFSET),
                        in.getInt(RecordLayout.HASH_OFFSET),
                        RecordBody.readOp(body));
                forgetParts();
            }
            case RecordLayout.KIND_BARRIER -> handler.barrier(RecordBody.readText(in));
            case RecordLayout.KIND_POLICY -> handler.policy(RecordBody.readText(in), RecordBody.readPolicy(in));
            case RecordLayout.KIND_COMMAND -> handler.command(lsn, RecordBody.readCommand(in));
            case RecordLayout.KIND_COMMIT ->
                handler.commit(
                        lsn, (flags & RecordLayout.FLAG_HAS_OPS) != 0, (flags & RecordLayout.FLAG_HAS_BARRIER) != 0);
            case RecordLayout.KIND_ABANDON -> handler.abandon();
            default -> throw new CorruptJournalException("a journal record of kind " + kind + " at " + Lsn.format(lsn));
        }
    }

    private void addPart(ByteBuffer in, boolean first) {
        if (first) {
            partBytes = 0;
        }
        int added = in.remaining();
        if (parts.length < partBytes + added) {
            parts = Arrays.copyOf(parts, Math.max(partBytes + added, parts.length * 2));
        }
        in.get(parts, partBytes, added);
        partBytes += added;
    }

    private void forgetParts() {
        partBytes = 0;
        if (parts.length > KEPT_BUFFER_BYTES) {
            parts = new byte[0];
        }
    }

    @Override
    public void close() {
        tailer.close();
    }
}
