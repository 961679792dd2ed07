package dev.walmerge.crdt;

/** A column of bytes, each followed by how often it repeats; the count of the last run is left out. */
final class ByteRunWriter {
    private final ByteWriter out = new ByteWriter(0);
    private int value = -1;
    private int count;

    /** Makes room for so many runs. */
    void reserve(int runs) {
        out.reserve(Math.multiplyExact(runs, 2));
    }

    void write(int next) {
        if (next == value) {
            count++;
            return;
        }
        if (count > 0) {
            out.varUint(count - 1);
        }
        count = 1;
        out.u8(next);
        value = next;
    }

    ByteWriter bytes() {
        return out;
    }
}
