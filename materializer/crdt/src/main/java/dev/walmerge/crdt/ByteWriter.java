package dev.walmerge.crdt;

import java.util.Arrays;

/** Growable bytes with the variable-length numbers of lib0. */
final class ByteWriter {
    private byte[] bytes;
    private int size;

    ByteWriter() {
        this(32);
    }

    ByteWriter(int capacity) {
        bytes = new byte[capacity];
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
            bytes = new byte[0];
        }
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), bytes.length + (bytes.length >> 1)));
        }
    }

    void u8(int value) {
        room(1);
        bytes[size++] = (byte) value;
    }

    void raw(byte[] source, int from, int count) {
        room(count);
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
        room(9);
        long rest = value;
        while (rest > 0x7f) {
            bytes[size++] = (byte) ((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
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
        room(10);
        long rest = magnitude >>> 6;
        bytes[size++] = (byte) ((magnitude & 0x3f) | (negative ? 0x40 : 0) | (rest > 0 ? 0x80 : 0));
        while (rest > 0) {
            bytes[size++] = (byte) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
            rest >>>= 7;
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

    void chars(char[] source, int from, int to) {
        int count = Utf8.encodedBytes(source, from, to);
        varUint(count);
        room(count);
        size = Utf8.encode(source, from, to, bytes, size);
    }

    void string(String text) {
        char[] chars = text.toCharArray();
        chars(chars, 0, chars.length);
    }
}
