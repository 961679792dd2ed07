package dev.walmerge.crdt;

/** A column of clocks as differences, the low bit of which says that a count follows. */
final class DiffRunReader {
    private final ByteReader in = new ByteReader();
    private long value;
    private long step;
    private long left;

    void start(ByteReader outer) throws MalformedUpdateException {
        in.takeFrom(outer);
        value = 0;
        step = 0;
        left = 0;
    }

    int next() throws MalformedUpdateException {
        if (left == 0) {
            long read = in.varInt();
            step = read >> 1;
            left = 1;
            if ((read & 1) != 0) {
                left = in.varUint() + 2;
            }
        }
        value += step;
        left--;
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw in.fault("clock-too-large");
        }
        return (int) value;
    }

    void release() {
        in.release();
    }

    void finish() throws MalformedUpdateException {
        if (!in.atEnd()) {
            throw in.fault("trailing-bytes");
        }
    }
}
