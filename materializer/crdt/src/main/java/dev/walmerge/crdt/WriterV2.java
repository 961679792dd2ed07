package dev.walmerge.crdt;

import java.util.Arrays;

/** Version 2: one run-length encoded column per field, then the rest. */
final class WriterV2 extends UpdateWriter {
    private final DiffRunWriter keyClocks = new DiffRunWriter();
    private final RunWriter clients = new RunWriter();
    private final DiffRunWriter leftClocks = new DiffRunWriter();
    private final DiffRunWriter rightClocks = new DiffRunWriter();
    private final ByteRunWriter infos = new ByteRunWriter();
    private final RunWriter stringLengths = new RunWriter();
    private final ByteRunWriter parentInfos = new ByteRunWriter();
    private final RunWriter typeRefs = new RunWriter();
    private final RunWriter lengths = new RunWriter();
    private char[] units = new char[64];
    private int unitCount;
    private int keyCount;
    private int deleteAt;

    @Override
    void client(long client) {
        clients.write(client);
    }

    @Override
    void info(int info) {
        infos.write(info);
    }

    @Override
    void leftId(long client, int clock) {
        clients.write(client);
        leftClocks.write(clock);
    }

    @Override
    void rightId(long client, int clock) {
        clients.write(client);
        rightClocks.write(clock);
    }

    @Override
    void parentIsRoot(boolean root) {
        parentInfos.write(root ? 1 : 0);
    }

    @Override
    void typeRef(int ref) {
        typeRefs.write(ref);
    }

    @Override
    void length(int length) {
        lengths.write(length);
    }

    @Override
    void chars(char[] source, int from, int to) {
        int count = to - from;
        if (units.length - unitCount < count) {
            units = Arrays.copyOf(units, Math.max(Math.addExact(unitCount, count), units.length * 2));
        }
        System.arraycopy(source, from, units, unitCount, count);
        unitCount += count;
        stringLengths.write(count);
    }

    /** Yjs 13 means to number keys it has written, but never looks one up: each is written again, under a new number. */
    @Override
    void key(String key) {
        keyClocks.write(keyCount++);
        string(key);
    }

    @Override
    void json(byte[] blob, int at, int count) {
        rest.raw(blob, at, count);
    }

    @Override
    void startDeletes() {
        deleteAt = 0;
    }

    @Override
    void deleteRange(int clock, int length) {
        rest.varUint(clock - deleteAt);
        rest.varUint(length - 1);
        deleteAt = clock + length;
    }

    @Override
    byte[] finish() {
        ByteWriter strings = new ByteWriter(unitCount + 16);
        strings.chars(units, 0, unitCount);
        strings.append(stringLengths.finish());
        ByteWriter out = new ByteWriter(strings.size() + rest.size() + 64);
        out.varUint(0);
        out.block(keyClocks.finish());
        out.block(clients.finish());
        out.block(leftClocks.finish());
        out.block(rightClocks.finish());
        out.block(infos.bytes());
        out.block(strings);
        out.block(parentInfos.bytes());
        out.block(typeRefs.finish());
        out.block(lengths.finish());
        out.append(rest);
        return out.toBytes();
    }
}
