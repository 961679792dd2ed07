package dev.walmerge.crdt;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The first struct of each client that can't be merged, and what they lack, as Yjs tells it: the last clock before a
 * gap, or the state of a client that is behind.
 *
 * <p>Yjs goes from the highest client id down and, where a struct waits for a client that has structs here, looks at
 * that one's instead; it reports only where such a chain ends. Those in the chain are done with: what waits for one of
 * them later is told the client's state.
 */
final class BlockedHeads {
    private final StructBuffer structs;
    private final TreeMap<Long, Integer> heads = new TreeMap<>();

    BlockedHeads(StructBuffer structs) {
        this.structs = structs;
    }

    void add(long client, int struct) {
        heads.putIfAbsent(client, struct);
    }

    /** The first struct of each client of an update that isn't merged. */
    static BlockedHeads of(StructBuffer update, StructStore store) {
        BlockedHeads heads = new BlockedHeads(update);
        for (int i = 0; i < update.size; i++) {
            if (update.end(i) > store.clients.stateOf(update.client[i])) {
                heads.add(update.client[i], i);
            }
        }
        return heads;
    }

    /** Adds what is missing to {@code out}; of two clocks of one client the lower one stays. */
    void missing(StructStore store, Integrator integrator, Map<Long, Integer> out) {
        Set<Long> chain = new HashSet<>();
        while (!heads.isEmpty()) {
            chain.clear();
            long client = heads.lastKey();
            chain.add(client);
            while (!reported(client, chain, store, integrator, out)) {
                client = integrator.missingClient;
                chain.add(client);
            }
            chain.forEach(heads::remove);
        }
    }

    /** False when the last of the chain, {@code client}, waits for one that has structs here. */
    private boolean reported(
            long client, Set<Long> chain, StructStore store, Integrator integrator, Map<Long, Integer> out) {
        int i = heads.get(client);
        if (structs.clock[i] > store.clients.stateOf(client)) {
            out.merge(client, structs.clock[i] - 1, Math::min);
            return true;
        }
        if (integrator.ready(structs, i)) {
            return true;
        }
        long other = integrator.missingClient;
        if (heads.containsKey(other) && !chain.contains(other)) {
            return false;
        }
        out.merge(other, store.clients.stateOf(other), Math::min);
        return true;
    }
}
