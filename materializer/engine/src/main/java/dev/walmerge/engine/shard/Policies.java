package dev.walmerge.engine.shard;

import dev.walmerge.engine.Policy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The settings in force in one shard, by collection. Single thread. */
final class Policies {
    private final Map<String, FlushPolicy> inForce = new HashMap<>();
    /** What other threads may read of them. */
    private final Map<String, Policy> published;

    /** @param published in force at the start; later versions are put there too */
    Policies(Map<String, Policy> published) {
        this.published = published;
        published.forEach((collection, policy) -> inForce.put(collection, new FlushPolicy(policy)));
    }

    void put(String collection, Policy policy) {
        inForce.put(collection, new FlushPolicy(policy));
        published.put(collection, policy);
    }

    /** Null if there is no such collection. */
    FlushPolicy get(String collection) {
        return inForce.get(collection);
    }

    boolean has(String collection) {
        return inForce.containsKey(collection);
    }

    Set<String> names() {
        return inForce.keySet();
    }
}
