package dev.walmerge.crdt;

import java.nio.charset.StandardCharsets;

/**
 * The tagged values of lib0 ("any"). They are kept as the bytes they came in, since both update formats write them
 * alike; WIRE.md has the table.
 */
final class AnyValue {
    /** No such member. */
    static final int NONE = -1;

    static final int UNDEFINED = 127;
    static final int NULL = 126;
    static final int INTEGER = 125;
    static final int FLOAT32 = 124;
    static final int FLOAT64 = 123;
    static final int BIGINT = 122;
    static final int FALSE = 121;
    static final int TRUE = 120;
    static final int STRING = 119;
    static final int OBJECT = 118;
    static final int ARRAY = 117;
    static final int BYTES = 116;

    private AnyValue() {}

    /** Moves {@code in} behind one value, checking all of it. */
    static void validate(ByteReader in) throws MalformedUpdateException {
        validate(in, 0);
    }

    private static void validate(ByteReader in, int depth) throws MalformedUpdateException {
        if (depth > Limits.VALUE_DEPTH) {
            throw in.fault("value-too-deep");
        }
        int at = in.pos();
        int tag = in.u8();
        switch (tag) {
            case UNDEFINED, NULL, FALSE, TRUE -> {}
            case INTEGER -> in.varInt();
            case FLOAT32 -> in.skip(4);
            case FLOAT64, BIGINT -> in.skip(8);
            case STRING -> validateString(in);
            case BYTES -> in.skip(in.count("truncated"));
            case ARRAY -> {
                int count = in.count("count-too-large");
                for (int i = 0; i < count; i++) {
                    validate(in, depth + 1);
                }
            }
            case OBJECT -> {
                int count = in.count("count-too-large");
                for (int i = 0; i < count; i++) {
                    validateString(in);
                    validate(in, depth + 1);
                }
            }
            default -> throw in.faultAt("unknown-value-tag", at);
        }
    }

    private static void validateString(ByteReader in) throws MalformedUpdateException {
        int count = in.count("truncated");
        int from = in.pos();
        in.skip(count);
        int fault = Utf8.firstFault(in.bytes(), from, from + count);
        if (fault >= 0) {
            throw in.faultAt("invalid-utf8", from + fault);
        }
    }

    /** The position behind the valid value at {@code at}. */
    static int end(byte[] bytes, int at) {
        int pos = at + 1;
        switch (bytes[at] & 0xff) {
            case INTEGER -> {
                return endOfNumber(bytes, pos);
            }
            case FLOAT32 -> {
                return pos + 4;
            }
            case FLOAT64, BIGINT -> {
                return pos + 8;
            }
            case STRING, BYTES -> {
                return endOfNumber(bytes, pos) + (int) number(bytes, pos);
            }
            case ARRAY -> {
                int count = (int) number(bytes, pos);
                pos = endOfNumber(bytes, pos);
                for (int i = 0; i < count; i++) {
                    pos = end(bytes, pos);
                }
                return pos;
            }
            case OBJECT -> {
                int count = (int) number(bytes, pos);
                pos = endOfNumber(bytes, pos);
                for (int i = 0; i < count; i++) {
                    pos = endOfNumber(bytes, pos) + (int) number(bytes, pos);
                    pos = end(bytes, pos);
                }
                return pos;
            }
            default -> {
                return pos;
            }
        }
    }

    /** The unsigned number at {@code at}. */
    static long number(byte[] bytes, int at) {
        long value = 0;
        int shift = 0;
        int pos = at;
        while (true) {
            byte b = bytes[pos++];
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
            shift += 7;
        }
    }

    static int endOfNumber(byte[] bytes, int at) {
        int pos = at;
        while (bytes[pos++] < 0) {}
        return pos;
    }

    static long signedNumber(byte[] bytes, int at) {
        int first = bytes[at];
        long magnitude = first & 0x3f;
        if (first < 0) {
            magnitude |= number(bytes, at + 1) << 6;
        }
        return (first & 0x40) != 0 ? -magnitude : magnitude;
    }

    static long i64(byte[] bytes, int at) {
        long value = 0;
        for (int i = 0; i < 8; i++) {
            value = value << 8 | (bytes[at + i] & 0xff);
        }
        return value;
    }

    static int i32(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }

    /** The number a numeric value stands for; -0 keeps its sign. */
    static double numeric(byte[] bytes, int at) {
        switch (bytes[at] & 0xff) {
            case INTEGER -> {
                long value = signedNumber(bytes, at + 1);
                return value == 0 && (bytes[at + 1] & 0x40) != 0 ? -0.0 : value;
            }
            case FLOAT32 -> {
                return Float.intBitsToFloat(i32(bytes, at + 1));
            }
            default -> {
                return Double.longBitsToDouble(i64(bytes, at + 1));
            }
        }
    }

    /** The text at {@code at}: a length and UTF-8, already checked. */
    static String text(byte[] bytes, int at) {
        int count = (int) number(bytes, at);
        int from = endOfNumber(bytes, at);
        return new String(bytes, from, count, StandardCharsets.UTF_8);
    }

    /** The value of {@code key} in the object at {@code at}, or NONE. The last of equal keys counts. */
    static int member(byte[] bytes, int at, String key) {
        int found = NONE;
        if ((bytes[at] & 0xff) == OBJECT) {
            int count = (int) number(bytes, at + 1);
            int pos = endOfNumber(bytes, at + 1);
            for (int i = 0; i < count; i++) {
                String name = text(bytes, pos);
                pos = endOfNumber(bytes, pos) + (int) number(bytes, pos);
                if (name.equals(key)) {
                    found = pos;
                }
                pos = end(bytes, pos);
            }
        }
        return found;
    }

    static void writeNumber(ByteWriter out, double value) {
        if (value == Math.rint(value) && Math.abs(value) <= Integer.MAX_VALUE) {
            boolean negative = value < 0 || (value == 0 && 1 / value < 0);
            out.u8(INTEGER);
            out.varInt((long) Math.abs(value), negative);
        } else if ((float) value == value) {
            out.u8(FLOAT32);
            out.i32(Float.floatToRawIntBits((float) value));
        } else {
            out.u8(FLOAT64);
            out.i64(Double.doubleToRawLongBits(value));
        }
    }
}
