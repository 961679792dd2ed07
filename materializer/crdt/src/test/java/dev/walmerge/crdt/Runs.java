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
}
