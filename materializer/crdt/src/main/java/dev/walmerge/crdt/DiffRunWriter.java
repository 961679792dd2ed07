package dev.walmerge.crdt;

/** A column of clocks: differences times two, plus one when a count less two follows. */
final class DiffRunWriter {
    private static final int NUMBER_BYTES = 3;

    private final ByteWriter out = new ByteWriter(0);
    private long value;
    private long step;
    private int count;

    /** Makes room for so many numbers of usual size. */
    void reserve(int numbers) {
        out.reserve(Math.multiplyExact(numbers, NUMBER_BYTES));
    }

    void write(int next) {
        long nextStep = next - value;
        value = next;
        if (nextStep == step) {
            count++;
        } else {
            flush();
            count = 1;
            step = nextStep;
        }
    }

    private void flush() {
        if (count == 1) {
            out.varInt(Math.abs(step) << 1, step < 0);
        } else if (count > 1) {
            long encoded = step * 2 + 1;
            out.varInt(Math.abs(encoded), encoded < 0);
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
