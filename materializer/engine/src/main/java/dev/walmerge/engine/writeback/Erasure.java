package dev.walmerge.engine.writeback;

import java.util.List;
import java.util.Objects;

/**
 * A document is forgotten, or revived. No write of the same document may be in flight beside it.
 *
 * @param key the document
 * @param isDeleting whether its rows are deleted
 * @param isInForce whether its ops are dropped from now on
 * @param mergedLsn no op of a commit that ends at or before it is ever merged again, unsigned
 * @param commands those that are carried out by it
 * @param isSuspect whether Postgres refused to delete its rows before: then it goes with little patience
 */
public record Erasure(
        DocumentKey key, boolean isDeleting, boolean isInForce, long mergedLsn, List<Long> commands, boolean isSuspect)
        implements Entry {
    public Erasure {
        Objects.requireNonNull(key, "key");
        commands = List.copyOf(commands);
    }

    /** The same, now that its position is known. */
    public Erasure at(long lsn) {
        return new Erasure(key, isDeleting, isInForce, lsn, commands, isSuspect);
    }

    /** What is to be tried again after Postgres refused to delete the rows; the tombstone stands, and says why. */
    public Erasure again() {
        return new Erasure(key, isDeleting, isInForce, mergedLsn, List.of(), true);
    }
}
