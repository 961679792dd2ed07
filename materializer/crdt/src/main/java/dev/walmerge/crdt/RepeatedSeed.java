package dev.walmerge.crdt;

/**
 * Two clients that began with the same content, neither knowing of the other.
 *
 * @param first the lower client id
 * @param second the higher one
 * @param units how much they have in common from their first clock on
 */
public record RepeatedSeed(long first, long second, int units) {}
