package dev.walmerge.crdt;

/**
 * What reading an update needs, once a thread: ten thousand documents in memory don't each keep a decoder and its buffers.
 * Whoever uses it leaves it empty.
 */
final class Workbench {
    private static final ThreadLocal<Workbench> OF_THREAD = new ThreadLocal<>();

    private final UpdateDecoder decoder = new UpdateDecoder();
    final StructBuffer structs = new StructBuffer();
    final ClockRanges deletes = new ClockRanges();

    private Workbench() {}

    static Workbench get() {
        Workbench bench = OF_THREAD.get();
        if (bench == null) {
            // Not an initial value: the class or lambda that gives one would have to be loaded.
            bench = new Workbench();
            OF_THREAD.set(bench);
        }
        return bench;
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
