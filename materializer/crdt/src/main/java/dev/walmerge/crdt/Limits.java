package dev.walmerge.crdt;

/**
 * Bounds of one document. What exceeds them is a {@link MalformedUpdateException}, never an out-of-memory error.
 *
 * @param structsPerUpdate structs one update may hold; a V2 update of a few bytes can claim any number by a run
 * @param pendingStructs structs that may wait for what has not arrived
 * @param pendingBytes estimated bytes of those, and of the delete ranges that wait
 */
public record Limits(int structsPerUpdate, int pendingStructs, long pendingBytes) {
    /** Nesting of JSON and "any" values; deeper input is refused. */
    public static final int VALUE_DEPTH = 256;

    /** Nesting of shared types in a projection; deeper types are shown as null. */
    public static final int VIEW_DEPTH = 256;

    /** The largest client id: what JavaScript can count exactly, 2<sup>53</sup> - 1. */
    public static final long CLIENT_LAST = (1L << 53) - 1;

    public static final Limits DEFAULT = new Limits(2_000_000, 1_000_000, 256L << 20);

    public Limits {
        if (structsPerUpdate < 1 || pendingStructs < 0 || pendingBytes < 0) {
            throw new IllegalArgumentException("limits are not negative");
        }
    }
}
