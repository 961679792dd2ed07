package dev.walmerge.engine.shard;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** Tells which shard was the last one to carry out an order that each of them has. Thread-safe. */
public final class LastShard {
    private final int shards;
    private final Map<Long, BitSet> done = new HashMap<>();

    public LastShard(int shards) {
        this.shards = shards;
    }

    /** The shard has the order, perhaps once more. */
    synchronized void begins(long order, int shard) {
        done.computeIfAbsent(order, id -> new BitSet(shards)).clear(shard);
    }

    /** The shard has carried it out. True if all have. */
    synchronized boolean ends(long order, int shard) {
        BitSet those = done.computeIfAbsent(order, id -> new BitSet(shards));
        those.set(shard);
        if (those.cardinality() < shards) {
            return false;
        }
        done.remove(order);
        return true;
    }
}
