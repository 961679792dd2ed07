package dev.walmerge.crdt;

/** Updates of version 2 whose columns are one run each, so that few bytes say any number of structs. */
final class Runs {
    private Runs() {}

    /** {@code count} structs of client 7 from {@code clock} on, all with one info byte; then come the given bytes. */
    static byte[] update(int info, long count, long clock, int... tail) {
        ByteWriter run = new ByteWriter();
        run.varInt(3, true);
        run.varUint(2L * count);
        ByteWriter steps = new ByteWriter();
        steps.varInt(1, false);
        steps.varUint(2L * count);
        ByteWriter infos = new ByteWriter();
        infos.u8(info);
        ByteWriter strings = new ByteWriter();
        strings.varUint(0);
        strings.varInt(0, true);
        strings.varUint(2L * count);
        ByteWriter out = new ByteWriter();
        out.varUint(0);
        out.block(steps);
        out.block(run);
        out.block(steps);
        out.block(steps);
        out.block(infos);
        out.block(strings);
        out.block(infos);
        out.block(run);
        out.block(run);
        out.varUint(1);
        out.varUint(count);
        out.varUint(clock);
        for (int b : tail) {
            out.u8(b);
        }
        return out.toBytes();
    }

    /** {@code count} XML elements of client 1, one behind the other, which share one name of that length. */
    static byte[] elements(int count, int nameLength) {
        ByteWriter strings = new ByteWriter();
        strings.string("x" + "k".repeat(nameLength));
        strings.varInt(1, false);
        strings.varInt(nameLength, false);
        ByteWriter behind = new ByteWriter();
        behind.varInt(0, false);
        behind.varInt(3, false);
        behind.varUint(count - 4L);
        ByteWriter infos = new ByteWriter();
        infos.raw(new byte[] {Kind.TYPE, 0, (byte) (StructBuffer.HAS_ORIGIN | Kind.TYPE)}, 0, 3);
        ByteWriter rootParent = new ByteWriter();
        rootParent.u8(1);
        ByteWriter none = new ByteWriter();
        ByteWriter out = new ByteWriter();
        out.varUint(0);
        out.block(run(1, false, count));
        out.block(run(1, true, count));
        out.block(behind);
        out.block(none);
        out.block(infos);
        out.block(strings);
        out.block(rootParent);
        out.block(run(3, true, count));
        out.block(none);
        out.varUint(1);
        out.varUint(count);
        out.varUint(0);
        out.varUint(0);
        return out.toBytes();
    }

    /** {@code count} structs in blocks, each half as long as all before it, with strings of a text that is longer than all of them. */
    static byte[] blocks(int info, int count, int text, int stringLength) {
        ByteWriter heads = new ByteWriter();
        int blocks = 0;
        for (int done = 0, next; done < count; done += next) {
            next = Math.min(done / 2 + 8, count - done);
            heads.varUint(next);
            heads.varUint(done);
            blocks++;
        }
        ByteWriter infos = new ByteWriter();
        infos.u8(info);
        ByteWriter strings = new ByteWriter();
        strings.string("1".repeat(text));
        strings.varInt(stringLength, true);
        strings.varUint(2L * count);
        ByteWriter roots = new ByteWriter();
        roots.u8(1);
        ByteWriter none = new ByteWriter();
        ByteWriter out = new ByteWriter();
        out.varUint(0);
        out.block(none);
        out.block(run(7, true, count + 2));
        out.block(none);
        out.block(none);
        out.block(infos);
        out.block(strings);
        out.block(roots);
        out.block(none);
        out.block(run(1, true, count + 2));
        out.varUint(blocks);
        out.raw(heads.toBytes(), 0, heads.size());
        out.varUint(0);
        return out.toBytes();
    }

    private static ByteWriter run(int value, boolean negative, int count) {
        ByteWriter run = new ByteWriter();
        run.varInt(value, negative);
        run.varUint(count - 2L);
        return run;
    }
}
