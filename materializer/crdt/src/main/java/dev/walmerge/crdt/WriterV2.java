package dev.walmerge.crdt;

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
    private final Units units = new Units();
    private int keyCount;
    private int deleteAt;

    @Override
    void reserve(int structs, int moreUnits, int bytes) {
        rest.reserve(bytes);
        infos.reserve(structs);
        leftClocks.reserve(structs);
        rightClocks.reserve(structs);
        stringLengths.reserve(structs);
        units.reserve(Math.addExact(moreUnits, structs));
    }

    @Override
    void head(int info, long leftClient, int leftClock, long rightClient, int rightClock) {
        infos.write(info);
        if ((info & StructBuffer.HAS_ORIGIN) != 0) {
            clients.write(leftClient);
            leftClocks.write(leftClock);
        }
        if ((info & StructBuffer.HAS_RIGHT_ORIGIN) != 0) {
            clients.write(rightClient);
            rightClocks.write(rightClock);
        }
    }

    @Override
    void entry(int info, long holderClient, int holderClock, byte[] key) {
        infos.write(info);
        parentInfos.write(0);
        clients.write(holderClient);
        leftClocks.write(holderClock);
        plain(key);
    }

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
    void value(byte[] blob, int at, int count) {
        lengths.write(1);
        rest.raw(blob, at, count);
    }

    @Override
    void units(Units source, int from, int to) {
        units.add(source, from, to - from);
        stringLengths.write(to - from);
    }

    @Override
    void string(String text) {
        units.add(text);
        stringLengths.write(text.length());
    }

    @Override
    void plain(byte[] text) {
        units.addPlain(text);
        stringLengths.write(text.length);
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
        int stringBytes = units.utf8Bytes(0, units.count);
        int stringsBlock = ByteWriter.varUintBytes(stringBytes)
                + stringBytes
                + stringLengths.finish().size();
        ByteWriter[] before = {
            keyClocks.finish(), clients.finish(), leftClocks.finish(), rightClocks.finish(), infos.bytes()
        };
        ByteWriter[] after = {parentInfos.bytes(), typeRefs.finish(), lengths.finish()};
        long total = 1L + blocks(before) + ByteWriter.varUintBytes(stringsBlock) + stringsBlock + blocks(after);
        ByteWriter out = new ByteWriter(Math.toIntExact(total + rest.size()));
        out.varUint(0);
        append(out, before);
        out.varUint(stringsBlock);
        out.units(units, 0, units.count);
        out.append(stringLengths.finish());
        append(out, after);
        out.append(rest);
        return out.toBytes();
    }

    private static long blocks(ByteWriter[] columns) {
        long bytes = 0;
        for (ByteWriter column : columns) {
            bytes += ByteWriter.varUintBytes(column.size()) + column.size();
        }
        return bytes;
    }

    private static void append(ByteWriter out, ByteWriter[] columns) {
        for (ByteWriter column : columns) {
            out.block(column);
        }
    }
}
