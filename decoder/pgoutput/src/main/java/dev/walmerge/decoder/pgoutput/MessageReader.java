package dev.walmerge.decoder.pgoutput;

import dev.walmerge.decoder.pgoutput.MalformedMessageException.Rule;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A cursor over one message. Integers are big-endian, as everywhere in the Postgres protocol. */
final class MessageReader {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final byte[] NOTHING = {};

    private byte[] buffer = NOTHING;
    private int start;
    private int position;
    private int end;

    void wrap(byte[] bytes, int offset, int length) {
        buffer = bytes;
        start = offset;
        position = offset;
        end = offset + length;
    }

    /** Lets go of the caller's array. */
    void release() {
        wrap(NOTHING, 0, 0);
    }

    byte[] buffer() {
        return buffer;
    }

    /** The index in {@link #buffer()} of the next byte. */
    int position() {
        return position;
    }

    int remaining() {
        return end - position;
    }

    byte int8() throws MalformedMessageException {
        return buffer[advance(Byte.BYTES)];
    }

    int unsignedInt16() throws MalformedMessageException {
        return (short) SHORT.get(buffer, advance(Short.BYTES)) & 0xffff;
    }

    int int32() throws MalformedMessageException {
        return (int) INT.get(buffer, advance(Integer.BYTES));
    }

    long int64() throws MalformedMessageException {
        return (long) LONG.get(buffer, advance(Long.BYTES));
    }

    /** A string that ends with a zero byte. Bytes that are not UTF-8 (a database in SQL_ASCII) become U+FFFD. */
    String string() throws MalformedMessageException {
        int first = position;
        skipString();
        return new String(buffer, first, position - 1 - first, StandardCharsets.UTF_8);
    }

    void skipString() throws MalformedMessageException {
        int first = position;
        int last = first;
        while (last < end && buffer[last] != 0) {
            last++;
        }
        if (last == end) {
            throw malformedAt(Rule.TRUNCATED, first);
        }
        position = last + 1;
    }

    /** A 32-bit length and that many bytes: moves past both and returns the length. */
    int skipSized() throws MalformedMessageException {
        int field = position;
        int length = int32();
        if (length < 0 || length > remaining()) {
            throw malformedAt(Rule.LENGTH_PAST_END, field);
        }
        position += length;
        return length;
    }

    /** Flags of which none may be set but the known ones. */
    int flags(int known) throws MalformedMessageException {
        int flags = int8();
        if ((flags & ~known) != 0) {
            throw malformedBefore(Rule.UNKNOWN_FLAG, Byte.BYTES);
        }
        return flags;
    }

    void requireEnd() throws MalformedMessageException {
        if (position != end) {
            throw malformedAt(Rule.TRAILING_BYTES, position);
        }
    }

    /** An error about the field of {@code bytes} bytes that was just read. */
    MalformedMessageException malformedBefore(Rule rule, int bytes) {
        return malformedAt(rule, position - bytes);
    }

    private int advance(int bytes) throws MalformedMessageException {
        int field = position;
        if (bytes > end - field) {
            throw malformedAt(Rule.TRUNCATED, field);
        }
        position = field + bytes;
        return field;
    }

    private MalformedMessageException malformedAt(Rule rule, int index) {
        return new MalformedMessageException(rule, index - start);
    }
}
