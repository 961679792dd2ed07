package dev.walmerge.sidecar.pipeline;

import dev.walmerge.decoder.pgoutput.Tuple;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * Reads the columns of walmerge's own tables from a tuple in the binary format the slot is asked for (the send
 * functions of the PostgreSQL types). Those types always have one, so a value in text format is a broken promise of the
 * stream, not bad input of an app.
 */
final class ColumnValues {
    private static final int MICROS_PER_MILLI = 1_000;
    private static final long MICROS_PER_DAY = 86_400_000_000L;
    /** What PostgreSQL itself takes a month for when it turns an interval into seconds. */
    private static final int DAYS_PER_MONTH = 30;

    private ColumnValues() {}

    static boolean isNull(Tuple row, int column) {
        return row.kind(column) == Tuple.Kind.NULL;
    }

    static long int8(Tuple row, int column) {
        return value(row, column).getLong();
    }

    static int int4(Tuple row, int column) {
        return value(row, column).getInt();
    }

    static float float4(Tuple row, int column) {
        return value(row, column).getFloat();
    }

    static boolean bool(Tuple row, int column) {
        return value(row, column).get() != 0;
    }

    /** Null for SQL null. */
    static String text(Tuple row, int column) {
        if (isNull(row, column)) {
            return null;
        }
        requireBinary(row, column);
        return new String(row.buffer(), row.offset(column), row.length(column), StandardCharsets.UTF_8);
    }

    /** A copy, or null for SQL null. */
    static byte[] bytea(Tuple row, int column) {
        if (isNull(row, column)) {
            return null;
        }
        requireBinary(row, column);
        return Arrays.copyOfRange(row.buffer(), row.offset(column), row.offset(column) + row.length(column));
    }

    /** The JSON text, or null for SQL null. The wire form is a version byte, 1, and the text. */
    static String jsonb(Tuple row, int column) {
        if (isNull(row, column)) {
            return null;
        }
        requireBinary(row, column);
        return new String(row.buffer(), row.offset(column) + 1, row.length(column) - 1, StandardCharsets.UTF_8);
    }

    static Duration interval(Tuple row, int column) {
        ByteBuffer value = value(row, column);
        long micros = value.getLong();
        long days = value.getInt() + (long) DAYS_PER_MONTH * value.getInt();
        return Duration.ofMillis((micros + days * MICROS_PER_DAY) / MICROS_PER_MILLI);
    }

    private static ByteBuffer value(Tuple row, int column) {
        requireBinary(row, column);
        return ByteBuffer.wrap(row.buffer(), row.offset(column), row.length(column));
    }

    private static void requireBinary(Tuple row, int column) {
        if (row.kind(column) != Tuple.Kind.BINARY) {
            throw new UnexpectedStreamException("column " + column + " came as " + row.kind(column)
                    + ", but the slot was asked for the binary format");
        }
    }
}
