package dev.walmerge.crdt;

/** A column of bytes, each followed by how often it repeats; the last one repeats for ever. */
final class ByteRunReader {
    private final ByteReader in = new ByteReader();
    private int value;
    private long left;

    void start(ByteReader outer) throws MalformedUpdateException {
        in.takeFrom(outer);
        left = 0;
    }

    int next() throws MalformedUpdateException {
        if (left == 0) {
            value = in.u8();
            left = in.atEnd() ? Long.MAX_VALUE : in.varUint() + 1;
        }
        left--;
        return value;
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
