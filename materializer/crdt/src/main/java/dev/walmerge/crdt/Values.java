package dev.walmerge.crdt;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Plain values as Java objects; {@link SharedType} says which. */
final class Values {
    static final byte[] NULL = {(byte) AnyValue.NULL};

    private Values() {}

    /** Appends one value; when it is refused, {@code out} holds garbage behind what it held. */
    static void encode(Object value, ByteWriter out) {
        encode(value, out, 0);
    }

    static byte[] bytes(Object value) {
        if (value == null) {
            return NULL;
        }
        ByteWriter out = new ByteWriter();
        encode(value, out, 0);
        return out.toBytes();
    }

    private static void encode(Object value, ByteWriter out, int depth) {
        if (depth > Limits.VALUE_DEPTH) {
            throw new IllegalArgumentException("a value is nested too deep");
        }
        if (value == null) {
            out.u8(AnyValue.NULL);
        } else if (value instanceof String text) {
            out.u8(AnyValue.STRING);
            out.string(text);
        } else if (value instanceof Number number) {
            number(number, out);
        } else if (value instanceof Boolean flag) {
            out.u8(flag ? AnyValue.TRUE : AnyValue.FALSE);
        } else if (value instanceof List<?> list) {
            out.u8(AnyValue.ARRAY);
            out.varUint(list.size());
            for (Object element : list) {
                encode(element, out, depth + 1);
            }
        } else if (value instanceof Map<?, ?> map) {
            out.u8(AnyValue.OBJECT);
            out.varUint(map.size());
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                if (!(Objects.requireNonNull(entry.getKey()) instanceof String key)) {
                    throw new IllegalArgumentException("keys of objects are strings");
                }
                out.string(key);
                encode(entry.getValue(), out, depth + 1);
            }
        } else if (value instanceof byte[] bytes) {
            out.u8(AnyValue.BYTES);
            out.varUint(bytes.length);
            out.raw(bytes, 0, bytes.length);
        } else {
            throw new IllegalArgumentException(
                    "no plain value: " + value.getClass().getName());
        }
    }

    private static void number(Number number, ByteWriter out) {
        if (number instanceof BigInteger big) {
            if (big.bitLength() > 63) {
                throw new IllegalArgumentException("a BigInteger beyond 64 bits");
            }
            out.u8(AnyValue.BIGINT);
            out.i64(big.longValue());
        } else if (number instanceof Integer || number instanceof Short || number instanceof Byte) {
            AnyValue.writeNumber(out, number.intValue());
        } else if (number instanceof Double || number instanceof Float) {
            AnyValue.writeNumber(out, number.doubleValue());
        } else if (number instanceof Long) {
            long exact = number.longValue();
            if (Math.abs(exact) > Limits.CLIENT_LAST || exact == Long.MIN_VALUE) {
                throw new IllegalArgumentException("a number beyond 2^53 is a BigInteger");
            }
            AnyValue.writeNumber(out, (double) exact);
        } else {
            throw new IllegalArgumentException(
                    "no plain value: " + number.getClass().getName());
        }
    }

    /** The valid value at {@code at}. */
    static Object decode(byte[] blob, int at) {
        return switch (blob[at] & 0xff) {
            case AnyValue.TRUE -> true;
            case AnyValue.FALSE -> false;
            case AnyValue.INTEGER, AnyValue.FLOAT32, AnyValue.FLOAT64 -> number(AnyValue.numeric(blob, at));
            case AnyValue.BIGINT -> BigInteger.valueOf(AnyValue.i64(blob, at + 1));
            case AnyValue.STRING -> AnyValue.text(blob, at + 1);
            case AnyValue.ARRAY -> array(blob, at);
            case AnyValue.OBJECT -> object(blob, at);
            case AnyValue.BYTES -> {
                int from = AnyValue.endOfNumber(blob, at + 1);
                yield Arrays.copyOfRange(blob, from, from + (int) AnyValue.number(blob, at + 1));
            }
            default -> null;
        };
    }

    private static Object number(double value) {
        boolean whole =
                value == Math.rint(value) && Math.abs(value) <= Limits.CLIENT_LAST && (value != 0 || 1 / value > 0);
        if (whole) {
            return (long) value;
        }
        return value;
    }

    private static List<Object> array(byte[] blob, int at) {
        int count = (int) AnyValue.number(blob, at + 1);
        int pos = AnyValue.endOfNumber(blob, at + 1);
        List<Object> list = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            list.add(decode(blob, pos));
            pos = AnyValue.end(blob, pos);
        }
        return Collections.unmodifiableList(list);
    }

    private static Map<String, Object> object(byte[] blob, int at) {
        int count = (int) AnyValue.number(blob, at + 1);
        int pos = AnyValue.endOfNumber(blob, at + 1);
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String key = AnyValue.text(blob, pos);
            pos = AnyValue.endOfNumber(blob, pos) + (int) AnyValue.number(blob, pos);
            map.put(key, decode(blob, pos));
            pos = AnyValue.end(blob, pos);
        }
        return Collections.unmodifiableMap(map);
    }

    /** Whether two values are equal; the order of an object's members doesn't count. */
    static boolean equal(byte[] a, byte[] b) {
        return Arrays.equals(a, b)
                || (a[0] == b[0]
                        && (a[0] & 0xff) == AnyValue.OBJECT
                        && decode(a, 0).equals(decode(b, 0)));
    }

    /** As JavaScript's {@code ===}, to which two objects that were read are never the same. */
    static boolean same(byte[] a, byte[] b) {
        int tag = a[0] & 0xff;
        return tag != AnyValue.OBJECT && tag != AnyValue.ARRAY && Arrays.equals(a, b);
    }
}
