package dev.walmerge.crdt;

/** Version 1: every field in one stream. */
final class WriterV1 extends UpdateWriter {
    /** An info byte, two ids of a large client and some content. */
    private static final int STRUCT_BYTES = 20;

    @Override
    void reserve(int structs, int units, int bytes) {
        rest.reserve(Math.addExact(Math.addExact(Math.multiplyExact(structs, STRUCT_BYTES), units), bytes));
    }

    @Override
    void head(int info, long leftClient, int leftClock, long rightClient, int rightClock) {
        rest.head(info, leftClient, leftClock, rightClient, rightClock);
    }

    @Override
    void entry(int info, long holderClient, int holderClock, byte[] key) {
        rest.entry(info, holderClient, holderClock, key);
    }

    @Override
    void client(long client) {
        rest.varUint(client);
    }

    @Override
    void info(int info) {
        rest.u8(info);
    }

    @Override
    void leftId(long client, int clock) {
        rest.varUint(client);
        rest.varUint(clock);
    }

    @Override
    void rightId(long client, int clock) {
        leftId(client, clock);
    }

    @Override
    void parentIsRoot(boolean root) {
        rest.varUint(root ? 1 : 0);
    }

    @Override
    void typeRef(int ref) {
        rest.varUint(ref);
    }

    @Override
    void length(int length) {
        rest.varUint(length);
    }

    @Override
    void value(byte[] blob, int at, int count) {
        rest.value(blob, at, count);
    }

    @Override
    void units(Units source, int from, int to) {
        rest.units(source, from, to);
    }

    @Override
    void string(String text) {
        rest.string(text);
    }

    @Override
    void plain(byte[] text) {
        rest.varUint(text.length);
        rest.raw(text, 0, text.length);
    }

    @Override
    void key(String key) {
        rest.string(key);
    }

    @Override
    void json(byte[] blob, int at, int count) {
        // Yjs writes "undefined", which no Yjs can read.
        rest.string((blob[at] & 0xff) == AnyValue.UNDEFINED ? "null" : ValueText.jsonText(blob, at));
    }

    @Override
    void startDeletes() {}

    @Override
    void deleteRange(int clock, int length) {
        rest.varUint(clock);
        rest.varUint(length);
    }

    @Override
    byte[] finish() {
        return rest.toBytes();
    }
}
