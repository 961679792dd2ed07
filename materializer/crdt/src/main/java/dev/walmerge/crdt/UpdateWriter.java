package dev.walmerge.crdt;

import java.util.Objects;

/** The fields of an update in the order they are written; the counterpart of {@link StructSource}. */
abstract class UpdateWriter {
    /** Counts, clocks, values and the delete set. */
    final ByteWriter rest = new ByteWriter(64);

    static UpdateWriter of(UpdateFormat format) {
        return Objects.requireNonNull(format) == UpdateFormat.V1 ? new WriterV1() : new WriterV2();
    }

    /** Makes room for about so many structs and units, and bytes of other content. */
    abstract void reserve(int structs, int units, int bytes);

    /** The info byte and the ids it announces; one that isn't is not looked at. */
    abstract void head(int info, long leftClient, int leftClock, long rightClient, int rightClock);

    /** An info byte without ids, the item that holds the parent, and a key of ASCII without NUL. */
    abstract void entry(int info, long holderClient, int holderClock, byte[] key);

    abstract void client(long client);

    abstract void info(int info);

    abstract void leftId(long client, int clock);

    abstract void rightId(long client, int clock);

    abstract void parentIsRoot(boolean root);

    abstract void typeRef(int ref);

    abstract void length(int length);

    /** A single value that isn't embedded. */
    abstract void value(byte[] blob, int at, int count);

    abstract void units(Units source, int from, int to);

    abstract void string(String text);

    /** A string that is ASCII without NUL. */
    abstract void plain(byte[] text);

    abstract void key(String key);

    /** An embedded value. */
    abstract void json(byte[] blob, int at, int count);

    abstract void startDeletes();

    abstract void deleteRange(int clock, int length);

    abstract byte[] finish();

    /** The content of a struct but its first {@code offset} units, wherever it is stored. */
    final void content(int kind, int length, int offset, Units units, byte[] blob, int at, int bytes, String key) {
        switch (kind) {
            case Kind.GC, Kind.DELETED -> length(length - offset);
            case Kind.STRING -> units(units, at + offset, at + length);
            case Kind.BINARY -> {
                rest.varUint(bytes);
                rest.raw(blob, at, bytes);
            }
            case Kind.EMBED -> json(blob, at, bytes);
            case Kind.FORMAT -> {
                key(key);
                json(blob, at, bytes);
            }
            case Kind.ANY -> {
                length(length - offset);
                int from = at;
                for (int i = 0; i < offset; i++) {
                    from = AnyValue.end(blob, from);
                }
                rest.raw(blob, from, at + bytes - from);
            }
            case Kind.JSON -> {
                length(length - offset);
                int from = at;
                for (int i = 0; i < length; i++) {
                    if (i >= offset) {
                        string(ValueText.jsonText(blob, from));
                    }
                    from = AnyValue.end(blob, from);
                }
            }
            case Kind.DOC -> {
                string(AnyValue.text(blob, at + 1));
                int options = AnyValue.end(blob, at);
                rest.raw(blob, options, at + bytes - options);
            }
            default -> throw new AssertionError(kind);
        }
    }
}
