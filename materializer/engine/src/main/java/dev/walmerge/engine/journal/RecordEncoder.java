package dev.walmerge.engine.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Lays one record out after another, and numbers them. Single thread. */
final class RecordEncoder {
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer record = ByteBuffer.allocate(RecordLayout.BODY_OFFSET + RecordLayout.MAX_BODY_BYTES);
    private long nextNumber;

    /** The bytes after the fields: a slice of what is {@code head} followed by {@code tail}. */
    record Body(byte[] head, int headBytes, byte[] tail) {
        static final Body NONE = new Body(new byte[0], 0, null);

        int length() {
            return headBytes + (tail == null ? 0 : tail.length);
        }

        void copy(int offset, int length, ByteBuffer out) {
            int fromHead = Math.max(0, Math.min(length, headBytes - offset));
            if (fromHead > 0) {
                out.put(head, offset, fromHead);
            }
            if (fromHead < length) {
                out.put(tail, offset + fromHead - headBytes, length - fromHead);
            }
        }
    }

    /** Returns the record's length; its bytes are in {@link #array} until the next call. */
    int encode(byte kind, int flags, int hash, int sequence, long lsn, Body body, int offset, int bodyLength) {
        int length = RecordLayout.BODY_OFFSET + bodyLength;
        record.clear();
        record.put(RecordLayout.VERSION_OFFSET, (byte) RecordLayout.VERSION)
                .put(RecordLayout.KIND_OFFSET, kind)
                .putShort(RecordLayout.FLAGS_OFFSET, (short) flags)
                .putInt(RecordLayout.HASH_OFFSET, hash)
                .putInt(RecordLayout.SEQUENCE_OFFSET, sequence)
                .putLong(RecordLayout.LSN_OFFSET, lsn)
                .putLong(RecordLayout.NUMBER_OFFSET, nextNumber++)
                .position(RecordLayout.BODY_OFFSET);
        body.copy(offset, bodyLength, record);
        record.putInt(RecordLayout.CRC_OFFSET, RecordLayout.checksum(crc, record.array(), length));
        return length;
    }

    byte[] array() {
        return record.array();
    }

    int lastChecksum() {
        return record.getInt(RecordLayout.CRC_OFFSET);
    }

    long lastNumber() {
        return nextNumber - 1;
    }
}
