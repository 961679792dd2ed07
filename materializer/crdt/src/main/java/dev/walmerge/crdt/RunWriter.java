package dev.walmerge.crdt;

/** A column of unsigned numbers: a run is its number with a negative sign (-0 too) and its count less two. */
final class RunWriter {
    private static final int NUMBER_BYTES = 1;

    private final ByteWriter out = new ByteWriter(0);
    private long value;
    private int count;

    /** Makes room for so many numbers of usual size. */
    void reserve(int numbers) {
        out.reserve(Math.multiplyExact(numbers, NUMBER_BYTES));
    }

    void write(long next) {
        if (next == value) {
            count++;
        } else {
            flush();
            count = 1;
            value = next;
        }
    }

    private void flush() {
        if (count == 1) {
            out.varInt(value, false);
        } else if (count > 1) {
            out.varInt(value, true);
            out.varUint(count - 2);
        }
    }

    /** The column; nothing can be written after. */
    ByteWriter finish() {
        flush();
        count = 0;
        return out;
    }
}
