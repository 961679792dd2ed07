package dev.walmerge.crdt;

/** A bounded cursor over bytes it does not own. Offsets in errors count from {@code base}. */
final class ByteReader {
    private static final byte[] NOTHING = {};

    private byte[] bytes = NOTHING;
    private int base;
    private int pos;
    private int end;
    private boolean negative;

    ByteReader reset(byte[] source, int baseOffset, int from, int to) {
        bytes = source;
        base = baseOffset;
        pos = from;
        end = to;
        return this;
    }

    /** Takes the next {@code length-prefixed} bytes of {@code outer} as its own and moves {@code outer} behind them. */
    ByteReader takeFrom(ByteReader outer) throws MalformedUpdateException {
        int count = outer.count("truncated");
        reset(outer.bytes, outer.base, outer.pos, outer.pos + count);
        outer.pos += count;
        return this;
    }

    void release() {
        reset(NOTHING, 0, 0, 0);
    }

    byte[] bytes() {
        return bytes;
    }

    int pos() {
        return pos;
    }

    int remaining() {
        return end - pos;
    }

    boolean atEnd() {
        return pos >= end;
    }

    MalformedUpdateException fault(String rule) {
        return new MalformedUpdateException(rule, Math.max(0, pos - base));
    }

    MalformedUpdateException faultAt(String rule, int position) {
        return new MalformedUpdateException(rule, Math.max(0, position - base));
    }

    int u8() throws MalformedUpdateException {
        if (pos >= end) {
            throw fault("truncated");
        }
        return bytes[pos++] & 0xff;
    }

    void skip(int count) throws MalformedUpdateException {
        if (count > end - pos) {
            throw fault("truncated");
        }
        pos += count;
    }

    /** Goes on at a position that is not beyond the end. */
    void jump(int to) {
        pos = to;
    }

    /** Little-endian groups of seven bits, at most 2^53 - 1. */
    long varUint() throws MalformedUpdateException {
        byte[] in = bytes;
        int at = pos;
        if (at < end) {
            int first = in[at];
            if (first >= 0) {
                pos = at + 1;
                return first;
            }
            if (end - at >= 5) {
                return unrolled(in, at, first & 0x7f);
            }
        }
        return tail();
    }

    /** Two to five bytes, as nearly all ids and clocks have; there are five. */
    private long unrolled(byte[] in, int at, int first) throws MalformedUpdateException {
        int b = in[at + 1];
        int value = first | (b & 0x7f) << 7;
        if (b >= 0) {
            pos = at + 2;
            return value;
        }
        b = in[at + 2];
        value |= (b & 0x7f) << 14;
        if (b >= 0) {
            pos = at + 3;
            return value;
        }
        b = in[at + 3];
        value |= (b & 0x7f) << 21;
        if (b >= 0) {
            pos = at + 4;
            return value;
        }
        b = in[at + 4];
        if (b >= 0) {
            pos = at + 5;
            return value | (long) b << 28;
        }
        return tail();
    }

    private long tail() throws MalformedUpdateException {
        long value = 0;
        int shift = 0;
        while (true) {
            int b = u8();
            if (shift >= 53 && (b & 0x7f) != 0) {
                throw fault("varint-overflow");
            }
            if (shift > 70) {
                throw fault("varint-overflow");
            }
            if (shift < 63) {
                value |= (long) (b & 0x7f) << shift;
            }
            if (value > Limits.CLIENT_LAST) {
                throw fault("varint-overflow");
            }
            if (b < 0x80) {
                return value;
            }
            shift += 7;
        }
    }

    /** Six bits and a sign first, then groups of seven. {@link #wasNegative} tells -0 from 0. */
    long varInt() throws MalformedUpdateException {
        int first = u8();
        negative = (first & 0x40) != 0;
        long magnitude = first & 0x3f;
        if (first >= 0x80) {
            long high = varUint();
            if (high > Limits.CLIENT_LAST >> 6) {
                throw fault("varint-overflow");
            }
            magnitude |= high << 6;
        }
        return negative ? -magnitude : magnitude;
    }

    boolean wasNegative() {
        return negative;
    }

    /** A count of things that take at least one byte each of this reader. */
    int count(String rule) throws MalformedUpdateException {
        int at = pos;
        long value = varUint();
        if (value > end - pos) {
            throw faultAt(rule, at);
        }
        return (int) value;
    }

    /** A clock or a length. */
    int clock() throws MalformedUpdateException {
        int at = pos;
        long value = varUint();
        if (value > Integer.MAX_VALUE) {
            throw faultAt("clock-too-large", at);
        }
        return (int) value;
    }

    String string() throws MalformedUpdateException {
        int count = count("truncated");
        int from = pos;
        skip(count);
        char[] chars = new char[count];
        int length = Utf8.decode(bytes, from, pos, chars, 0);
        if (length < 0) {
            throw faultAt("invalid-utf8", from + ~length);
        }
        return new String(chars, 0, length);
    }
}
