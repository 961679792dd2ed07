package dev.walmerge.crdt;

import java.util.Arrays;

/** Growable bytes with the variable-length numbers of lib0. */
final class ByteWriter {
    private static final byte[] EMPTY = {};

    /** What the first bytes make room for: most columns of a small update have a few, the others none. */
    private static final int LEAST = 16;

    private byte[] bytes;
    private int size;

    ByteWriter() {
        this(32);
    }

    ByteWriter(int capacity) {
        bytes = capacity == 0 ? EMPTY : new byte[capacity];
    }

    int size() {
        return size;
    }

    byte[] array() {
        return bytes;
    }

    void clear() {
        size = 0;
    }

    /** Empties it and gives memory back when it holds more than {@code keep} bytes. */
    void shrink(int keep) {
        size = 0;
        if (bytes.length > keep) {
            bytes = EMPTY;
        }
    }

    /** What was written; nothing can be written after. */
    byte[] toBytes() {
        return size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
    }

    void reserve(int more) {
        if (bytes.length - size < more) {
            grow(more);
        }
    }

    private void grow(int more) {
        int wanted = Math.max(Math.addExact(size, more), bytes.length + (bytes.length >> 1));
        bytes = Arrays.copyOf(bytes, Math.max(wanted, LEAST));
    }

    void u8(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
    }

    void raw(byte[] source, int from, int count) {
        reserve(count);
        System.arraycopy(source, from, bytes, size, count);
        size += count;
    }

    void append(ByteWriter other) {
        raw(other.bytes, 0, other.size);
    }

    void block(ByteWriter other) {
        varUint(other.size);
        append(other);
    }

    void varUint(long value) {
        if (bytes.length - size < 9) {
            reserve(varUintBytes(value));
        }
        size = put(bytes, size, value);
    }

    /** Writes a number where there is room for it and returns its end. */
    private static int put(byte[] target, int at, long value) {
        if (value < 1 << 7) {
            target[at] = (byte) value;
            return at + 1;
        }
        target[at] = (byte) (value | 0x80);
        if (value < 1 << 14) {
            target[at + 1] = (byte) (value >> 7);
            return at + 2;
        }
        target[at + 1] = (byte) (value >> 7 | 0x80);
        if (value < 1 << 21) {
            target[at + 2] = (byte) (value >> 14);
            return at + 3;
        }
        target[at + 2] = (byte) (value >> 14 | 0x80);
        int end = at + 3;
        long rest = value >> 21;
        while (rest > 0x7f) {
            target[end++] = (byte) (rest | 0x80);
            rest >>= 7;
        }
        target[end] = (byte) rest;
        return end + 1;
    }

    static int varUintBytes(long value) {
        return (Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(value)) + 6) / 7;
    }

    /** An info byte and the ids it announces, as version 1 writes them. */
    void head(int info, long leftClient, int leftClock, long rightClient, int rightClock) {
        reserve(1 + 4 * 9);
        byte[] target = bytes;
        int end = size;
        target[end++] = (byte) info;
        if ((info & StructBuffer.HAS_ORIGIN) != 0) {
            end = put(target, put(target, end, leftClient), leftClock);
        }
        if ((info & StructBuffer.HAS_RIGHT_ORIGIN) != 0) {
            end = put(target, put(target, end, rightClient), rightClock);
        }
        size = end;
    }

    /** What {@link UpdateWriter#entry} says, as version 1 writes it. */
    void entry(int info, long holderClient, int holderClock, byte[] key) {
        reserve(2 + 3 * 9 + key.length);
        byte[] target = bytes;
        int end = size;
        target[end++] = (byte) info;
        target[end++] = 0;
        end = put(target, end, holderClient);
        end = put(target, end, holderClock);
        end = put(target, end, key.length);
        System.arraycopy(key, 0, target, end, key.length);
        size = end + key.length;
    }

    /** One value as version 1 writes it, its count before it. */
    void value(byte[] blob, int at, int count) {
        reserve(1 + count);
        bytes[size] = 1;
        System.arraycopy(blob, at, bytes, size + 1, count);
        size += 1 + count;
    }

    /** Puts a number before what was written since the size was {@code at}. */
    void insertVarUint(int at, int value) {
        int before = size;
        varUint(value);
        int count = size - before;
        byte[] number = Arrays.copyOfRange(bytes, before, size);
        System.arraycopy(bytes, at, bytes, at + count, before - at);
        System.arraycopy(number, 0, bytes, at, count);
    }

    /** {@code negative} is apart from the magnitude because -0 is a value of its own. */
    void varInt(long magnitude, boolean negative) {
        reserve(10);
        int first = (int) (magnitude & 0x3f) | (negative ? 0x40 : 0);
        if (magnitude < 0x40) {
            bytes[size++] = (byte) first;
        } else {
            bytes[size] = (byte) (first | 0x80);
            size = put(bytes, size + 1, magnitude >> 6);
        }
    }

    void i64(long bits) {
        for (int shift = 56; shift >= 0; shift -= 8) {
            u8((int) (bits >>> shift));
        }
    }

    void i32(int bits) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            u8(bits >>> shift);
        }
    }

    /** Their length in bytes and they as UTF-8; lone surrogates are U+FFFD. */
    void units(Units source, int from, int to) {
        int count = source.utf8Bytes(from, to);
        if (bytes.length - size - 5 < count) {
            reserve(Math.addExact(count, varUintBytes(count)));
        }
        size = put(bytes, size, count);
        source.toUtf8(from, to, bytes, size, count);
        size += count;
    }

    void string(String text) {
        int count = 0;
        boolean ascii = true;
        for (int i = 0; i < text.length(); i++) {
            ascii &= text.charAt(i) < 0x80;
        }
        if (ascii) {
            count = text.length();
            varUint(count);
            reserve(count);
            for (int i = 0; i < count; i++) {
                bytes[size++] = (byte) text.charAt(i);
            }
            return;
        }
        char[] chars = text.toCharArray();
        count = Utf8.encodedBytes(chars, 0, chars.length);
        varUint(count);
        reserve(count);
        size = Utf8.encode(chars, 0, chars.length, bytes, size);
    }
}
