package dev.walmerge.crdt;

/**
 * What reading an update needs, once a thread: ten thousand documents in memory don't each keep a decoder and its buffers.
 * Whoever uses it leaves it empty.
 */
final class Workbench {
    /** Not {@code withInitial}: the first lambda of a process costs milliseconds. */
    private static final ThreadLocal<Workbench> OF_THREAD = new ThreadLocal<>() {
        @Override
        protected Workbench initialValue() {
            return new Workbench();
        }
    };

    private final UpdateDecoder decoder = new UpdateDecoder();
    final StructBuffer structs = new StructBuffer();
    final ClockRanges deletes = new ClockRanges();

    private Workbench() {}

    static Workbench get() {
        return OF_THREAD.get();
    }

    /** Reads and checks a whole update. */
    void decode(UpdateFormat format, byte[] bytes, int off, int len, int maxStructs) throws MalformedUpdateException {
        decoder.decode(format, bytes, off, len, maxStructs, structs, deletes);
    }

    /** Forgets the update and the bytes it was read from. */
    void clear() {
        decoder.release();
        structs.clear();
        deletes.clear();
    }
}
