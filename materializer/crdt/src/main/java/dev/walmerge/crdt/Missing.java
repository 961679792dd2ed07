package dev.walmerge.crdt;

import java.util.List;

/**
 * What a replica must get before an update can take full effect there; by descending client, then by clock.
 *
 * @param structs units that must be there before the structs of the update can be integrated
 * @param deletes units the update deletes that are neither there nor in the update
 */
public record Missing(List<ClockRange> structs, List<ClockRange> deletes) {
    /** Whether the whole update can be merged at once. */
    public boolean isEmpty() {
        return structs.isEmpty() && deletes.isEmpty();
    }
}
