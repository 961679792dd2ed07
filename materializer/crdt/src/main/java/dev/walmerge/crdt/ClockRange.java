package dev.walmerge.crdt;

/**
 * Consecutive units of one client.
 *
 * @param from the first clock
 * @param to the clock behind the last one
 */
public record ClockRange(long client, int from, int to) {}
