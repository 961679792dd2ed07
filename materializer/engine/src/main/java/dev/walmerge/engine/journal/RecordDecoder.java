package dev.walmerge.engine.journal;

import dev.walmerge.engine.Lsn;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Checks records and tells a handler what they say; puts together what was cut. Single thread. */
final class RecordDecoder {
    private final JournalHandler handler;
    private final CRC32C crc = new CRC32C();
    private byte[] parts;
    private int partBytes;
    private long lsn;
    private long number;
    private byte kind;
    private int flags;

    RecordDecoder(JournalHandler handler) {
        this.handler = handler;
    }

    /**
     * Takes one record in.
     *
     * @throws CorruptJournalException if it is not what was appended
     */
    void decode(byte[] record, int length) {
        check(record, length);
        ByteBuffer in = ByteBuffer.wrap(record, 0, length);
        try {
            dispatch(in);
        } catch (BufferUnderflowException e) {
            throw new CorruptJournalException("a journal record of " + length + " bytes ends early");
        }
    }

    /** Reads the fields before the body, and compares the checksum. */
    void check(byte[] record, int length) {
        if (length < RecordLayout.BODY_OFFSET) {
            throw new CorruptJournalException("a journal record of " + length + " bytes");
        }
        ByteBuffer in = ByteBuffer.wrap(record, 0, length);
        int version = in.get(RecordLayout.VERSION_OFFSET);
        if (version != RecordLayout.VERSION) {
            throw new CorruptJournalException("a journal record of version " + version);
        }
        if (RecordLayout.checksum(crc, record, length) != in.getInt(RecordLayout.CRC_OFFSET)) {
            throw new CorruptJournalException("a journal record of " + length + " bytes fails its checksum");
        }
        kind = in.get(RecordLayout.KIND_OFFSET);
        flags = in.getShort(RecordLayout.FLAGS_OFFSET);
        lsn = in.getLong(RecordLayout.LSN_OFFSET);
        number = in.getLong(RecordLayout.NUMBER_OFFSET);
    }

    private void dispatch(ByteBuffer in) {
        in.position(RecordLayout.BODY_OFFSET);
        switch (kind) {
            case RecordLayout.KIND_PART -> {
                if (!continues()) {
                    parts = new byte[in.getInt(RecordLayout.SEQUENCE_OFFSET)];
                    partBytes = 0;
                }
                addPart(in);
            }
            case RecordLayout.KIND_OP -> {
                ByteBuffer body = in;
                if (continues()) {
                    addPart(in);
                    body = ByteBuffer.wrap(parts, 0, partBytes);
                }
                parts = null;
                handler.op(
                        lsn,
                        in.getInt(RecordLayout.SEQUENCE_OFFSET),
                        in.getInt(RecordLayout.HASH_OFFSET),
                        RecordBody.readOp(body));
            }
            case RecordLayout.KIND_BARRIER -> handler.barrier(RecordBody.readText(in));
            case RecordLayout.KIND_POLICY -> handler.policy(RecordBody.readText(in), RecordBody.readPolicy(in));
            case RecordLayout.KIND_IN_FORCE -> handler.inForce(RecordBody.readText(in), RecordBody.readPolicy(in));
            case RecordLayout.KIND_COMMAND -> handler.command(lsn, RecordBody.readCommand(in));
            case RecordLayout.KIND_COMMIT ->
                handler.commit(lsn, has(RecordLayout.FLAG_HAS_OPS), has(RecordLayout.FLAG_HAS_BARRIER));
            case RecordLayout.KIND_ABANDON -> {
                parts = null;
                handler.abandon();
            }
            case RecordLayout.KIND_FILE -> {}
            default -> throw new CorruptJournalException("a journal record of kind " + kind + " at " + Lsn.format(lsn));
        }
    }

    private void addPart(ByteBuffer in) {
        int added = in.remaining();
        if (parts == null || parts.length - partBytes < added) {
            throw new CorruptJournalException("a part of an op that does not fit the one before it");
        }
        in.get(parts, partBytes, added);
        partBytes += added;
    }

    private boolean continues() {
        return has(RecordLayout.FLAG_CONTINUES_PARTS);
    }

    // The last record -------------------------------------------------------------------------------------------------

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    byte kind() {
        return kind;
    }

    long lsn() {
        return lsn;
    }

    long number() {
        return number;
    }
}
