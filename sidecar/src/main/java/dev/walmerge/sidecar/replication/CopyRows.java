package dev.walmerge.sidecar.replication;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * Takes rows of COPY's binary format apart (PostgreSQL manual, COPY, Binary Format). The server sends each row as one
 * chunk, the first behind a header; a row is a 16-bit count of fields, then each as a 32-bit length, -1 for null, and its
 * bytes.
 */
final class CopyRows {
    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0};
    private static final int FLAGS_BYTES = Integer.BYTES;
    private static final short END = -1;

    private boolean started;
    private ByteBuffer chunk;

    /** Whether the chunk holds a row, whose fields then follow in order; the last chunk does not. */
    boolean next(byte[] bytes) throws SQLException {
        chunk = ByteBuffer.wrap(bytes);
        if (!started) {
            started = true;
            if (!Arrays.equals(bytes, 0, Math.min(bytes.length, SIGNATURE.length), SIGNATURE, 0, SIGNATURE.length)) {
                throw new SQLException("not COPY's binary format", "08P01");
            }
            chunk.position(SIGNATURE.length + FLAGS_BYTES);
            chunk.position(chunk.position() + Integer.BYTES + chunk.getInt(chunk.position()));
            if (!chunk.hasRemaining()) {
                return false;
            }
        }
        return chunk.getShort() != END;
    }

    long int8() {
        chunk.getInt();
        return chunk.getLong();
    }

    /** A copy, or null. */
    byte[] bytes() {
        int length = chunk.getInt();
        if (length < 0) {
            return null;
        }
        byte[] value = new byte[length];
        chunk.get(value);
        return value;
    }

    String text() {
        byte[] value = bytes();
        return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }
}
