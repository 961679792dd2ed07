package dev.walmerge.engine.retention;

import java.util.List;

/**
 * What one round did, by number of leaf.
 *
 * @param rotated whether the current leaf was left
 * @param noted leaves that were looked at and now wait until what they hold is written
 * @param waiting leaves noted in an earlier round, of which not all is written yet
 * @param trimmed leaves that are empty now
 * @param busy leaves someone else had locked; the next round tries again
 */
public record Round(
        boolean rotated, List<Integer> noted, List<Integer> waiting, List<Integer> trimmed, List<Integer> busy) {
    public Round {
        noted = List.copyOf(noted);
        waiting = List.copyOf(waiting);
        trimmed = List.copyOf(trimmed);
        busy = List.copyOf(busy);
    }

    /** Whether there is a reason to come back soon. */
    public boolean isOpen() {
        return !noted.isEmpty() || !waiting.isEmpty() || !busy.isEmpty();
    }
}
