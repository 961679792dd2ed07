package dev.walmerge.crdt;

/**
 * Hashes with a secret of the process: ids and names are the senders' choice, and nobody should be able to choose them
 * so that they collide. No result depends on the secret, only the time it takes.
 */
final class Hash {
    /** What {@code SplittableRandom} would begin with, whose classes take a process that has just started a millisecond, and an object's own number. */
    private static final long SECRET =
            mix(System.nanoTime() ^ mix(System.currentTimeMillis() ^ mix(System.identityHashCode(new Object()))));

    private Hash() {}

    private static long mix(long bits) {
        long mixed = (bits ^ (bits >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    static int of(long key) {
        long mixed = key ^ SECRET;
        mixed = (mixed ^ (mixed >>> 32)) * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ (mixed >>> 29)) * 0xbf58476d1ce4e5b9L;
        return (int) (mixed ^ (mixed >>> 32));
    }

    static int of(String text) {
        long mixed = SECRET;
        for (int i = 0; i < text.length(); i++) {
            mixed = (mixed ^ text.charAt(i)) * 0x9e3779b97f4a7c15L;
            mixed ^= mixed >>> 32;
        }
        return of(mixed);
    }
}
