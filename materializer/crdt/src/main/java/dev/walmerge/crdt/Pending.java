package dev.walmerge.crdt;

import java.util.SortedMap;

/**
 * What a document waits for.
 *
 * @param missing for each client that lacks something, the clock up to which it is known to be missing: the last one
 *     before a gap, or the client's state when a struct of another client refers beyond it
 * @param deletes whether deletes of structs that have not arrived wait too
 */
public record Pending(SortedMap<Long, Integer> missing, boolean deletes) {}
