package dev.walmerge.crdt;

/** The fields of an update in the order the format asks for them. Not reusable across updates without a reset. */
abstract class StructSource {
    /** What {@link #leftId} or {@link #rightId} read last. */
    long idClient;

    int idClock;

    /** Whether nothing that is read will be kept, as the update is only checked. */
    boolean checking;

    /** The stream counts, clocks, values and the delete set are in. */
    final ByteReader rest = new ByteReader();

    /** Starts an update at {@code off}; offsets in errors count from there. */
    abstract void reset(byte[] bytes, int off, int len) throws MalformedUpdateException;

    /** Lets go of the bytes that were read last. */
    void release() {
        rest.release();
    }

    abstract long client() throws MalformedUpdateException;

    abstract int info() throws MalformedUpdateException;

    abstract void leftId() throws MalformedUpdateException;

    abstract void rightId() throws MalformedUpdateException;

    /**
     * Whether the struct from {@code at} to here, typed behind the one before, is of a form in which {@link #typedOn} may find
     * the next.
     */
    boolean startTyped(int at) {
        return false;
    }

    /**
     * Appends the unit of the next struct to that of the last one when it says the same but for a clock that is one higher;
     * else reads nothing. Only after {@link #startTyped}.
     */
    boolean typedOn(StructBuffer out) {
        return false;
    }

    abstract boolean parentIsRoot() throws MalformedUpdateException;

    abstract int typeRef() throws MalformedUpdateException;

    abstract int length() throws MalformedUpdateException;

    abstract String string() throws MalformedUpdateException;

    /** A string that names something; an empty one may stand for it while an update is only checked. */
    String name() throws MalformedUpdateException {
        return string();
    }

    /** Appends a string to the buffer's units and returns its length. */
    abstract int chars(StructBuffer out) throws MalformedUpdateException;

    abstract String key() throws MalformedUpdateException;

    /** Appends an embedded value as an {@link AnyValue} to the buffer's blob. */
    abstract void json(StructBuffer out) throws MalformedUpdateException;

    abstract void startDeletes();

    abstract int deleteClock() throws MalformedUpdateException;

    abstract int deleteLength() throws MalformedUpdateException;

    /** About how many units the structs' strings have, at most as many as there are bytes. */
    abstract int unitsToCome();

    /** Everything must have been read. */
    abstract void finish() throws MalformedUpdateException;

    /** How many structs of this client could be there at all, judged by the bytes left. */
    abstract long structsPossible();

    final void any(StructBuffer out) throws MalformedUpdateException {
        int from = rest.pos();
        AnyValue.validate(rest);
        out.blob.raw(rest.bytes(), from, rest.pos() - from);
    }

    final void binary(StructBuffer out) throws MalformedUpdateException {
        int count = rest.count("truncated");
        int from = rest.pos();
        rest.skip(count);
        out.blob.raw(rest.bytes(), from, count);
    }
}
