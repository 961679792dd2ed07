package dev.walmerge.decoder.pgoutput;

import dev.walmerge.decoder.pgoutput.MalformedMessageException.Rule;
import java.util.Arrays;
import java.util.Objects;

/** Where the values of a row lie that is being decoded. Two instances serve a whole session. */
final class TupleView implements Tuple {
    private static final int INITIAL_COLUMNS = 16;
    private static final byte[] NOTHING = {};

    private byte[] buffer = NOTHING;
    private int count;
    private Kind[] kinds = new Kind[INITIAL_COLUMNS];
    private int[] offsets = new int[INITIAL_COLUMNS];
    private int[] lengths = new int[INITIAL_COLUMNS];

    /** Reads a row of which every value is sent: an inserted one, or what is told of one before its change. */
    void readWhole(MessageReader in, int columns) throws MalformedMessageException {
        read(in, columns, false);
    }

    /** Reads an updated row. */
    void readChanged(MessageReader in, int columns) throws MalformedMessageException {
        read(in, columns, true);
    }

    /** Reads TupleData: a 16-bit count, then for each value a kind and, if it was sent, a length and its bytes. */
    private void read(MessageReader in, int columns, boolean mayOmit) throws MalformedMessageException {
        int values = in.unsignedInt16();
        if (values > in.remaining()) {
            throw in.malformedBefore(Rule.COUNT_PAST_END, Short.BYTES);
        }
        if (values != columns) {
            throw in.malformedBefore(Rule.COLUMN_COUNT, Short.BYTES);
        }
        reserve(values);
        buffer = in.buffer();
        count = values;
        for (int i = 0; i < values; i++) {
            Kind kind = kind(in);
            if (kind == Kind.UNCHANGED && !mayOmit) {
                throw in.malformedBefore(Rule.UNCHANGED_VALUE, Byte.BYTES);
            }
            int length = kind == Kind.TEXT || kind == Kind.BINARY ? in.skipSized() : 0;
            kinds[i] = kind;
            offsets[i] = in.position() - length;
            lengths[i] = length;
        }
    }

    private static Kind kind(MessageReader in) throws MalformedMessageException {
        return switch (in.int8()) {
            case 'n' -> Kind.NULL;
            case 'u' -> Kind.UNCHANGED;
            case 't' -> Kind.TEXT;
            case 'b' -> Kind.BINARY;
            default -> throw in.malformedBefore(Rule.UNKNOWN_VALUE_KIND, Byte.BYTES);
        };
    }

    private void reserve(int columns) {
        if (columns > kinds.length) {
            kinds = Arrays.copyOf(kinds, columns);
            offsets = Arrays.copyOf(offsets, columns);
            lengths = Arrays.copyOf(lengths, columns);
        }
    }

    /** Lets go of the message: a view that was kept past its call has no columns. */
    void release() {
        buffer = NOTHING;
        count = 0;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public Kind kind(int column) {
        return kinds[Objects.checkIndex(column, count)];
    }

    @Override
    public byte[] buffer() {
        return buffer;
    }

    @Override
    public int offset(int column) {
        return offsets[Objects.checkIndex(column, count)];
    }

    @Override
    public int length(int column) {
        return lengths[Objects.checkIndex(column, count)];
    }
}
