package dev.walmerge.crdt;

import java.util.Random;
import java.util.SplittableRandom;

/**
 * Random numbers for one step of a run. Those of neighbouring steps have nothing to do with each other; {@link Random}
 * alone makes similar choices of similar seeds, and two faults put into the core went unnoticed for it.
 */
final class Seeds {
    private Seeds() {}

    static Random of(long seed, long step) {
        long mixed = new SplittableRandom(seed).nextLong();
        return new Random(new SplittableRandom(mixed + step).nextLong());
    }
}
