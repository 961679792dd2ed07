package dev.walmerge.crdt;

import java.util.SplittableRandom;

/**
 * Hashes with a secret of the process: ids and names are the senders' choice, and nobody should be able to choose them
 * so that they collide. No result depends on the secret, only the time it takes.
 */
final class Hash {
    private static final long SECRET = new SplittableRandom().nextLong();

    private Hash() {}

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
