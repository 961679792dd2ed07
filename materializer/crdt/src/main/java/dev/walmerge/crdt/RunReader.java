package dev.walmerge.crdt;

/** A column of unsigned numbers where a negative sign says that a count follows. */
final class RunReader {
    private ByteReader in = new ByteReader();
    private final ByteReader own = in;
    private long value;
    private long left;

    void start(ByteReader outer) throws MalformedUpdateException {
        in = own.takeFrom(outer);
        value = 0;
        left = 0;
    }

    /** Reads what is left of another reader. */
    void wrap(ByteReader reader) {
        in = reader;
        value = 0;
        left = 0;
    }

    long next() throws MalformedUpdateException {
        if (left == 0) {
            long read = in.varInt();
            left = 1;
            value = read;
            if (in.wasNegative()) {
                value = -read;
                left = in.varUint() + 2;
            }
        }
        left--;
        return value;
    }

    int nextInt() throws MalformedUpdateException {
        long next = next();
        if (next > Integer.MAX_VALUE) {
            throw in.fault("clock-too-large");
        }
        return (int) next;
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
