package dev.walmerge.engine.writeback;

/**
 * What {@code crdt.forgotten} says of a document.
 *
 * @param isInForce whether its ops are dropped; false once it was revived
 * @param mergedLsn no op of a commit that ends at or before it is ever merged again, unsigned
 * @param isErased whether its rows are deleted
 */
public record Tombstone(boolean isInForce, long mergedLsn, boolean isErased) {}
