package dev.walmerge.crdt;

/** Version 1: every field in one stream. */
final class WriterV1 extends UpdateWriter {
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
    void chars(char[] source, int from, int to) {
        rest.chars(source, from, to);
    }

    @Override
    void key(String key) {
        rest.string(key);
    }

    @Override
    void json(byte[] blob, int at, int count) {
        rest.string(ValueText.jsonText(blob, at));
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
