package dev.walmerge.engine.writeback;

import java.util.List;
import java.util.Objects;

/**
 * Everything one flush says about one document. Immutable: the arrays belong to the record and nobody changes them.
 *
 * <p>The first write of a document must carry a {@link Fold}, later ones either a fold, a tail, or neither.
 *
 * @param key the document
 * @param mergedLsn the end LSN of the last commit merged into it, unsigned
 * @param opCount how many ops were merged into it since it exists
 * @param text the whole text, also when it did not change; may be null only for a document without text
 * @param textChanged false leaves the stored text alone
 * @param json the whole JSON, or null for a null column
 * @param jsonChanged false leaves the stored JSON alone
 * @param missing what the document waits for, JSON text {@code {"client": clock}}; null when it is complete
 * @param warning shown in the docs row, or null
 * @param error shown in the docs row, or null
 * @param stalenessMillis how long the oldest change of this write waited
 * @param bound which rule of the policy decided
 * @param contentChanged whether {@code docs.version} moves
 * @param tail what was merged since the last write, one V1 update; null when there is nothing, or a fold says it
 * @param fold the new state, or null
 * @param parkedAdded updates that became parked since the last write
 * @param parkedRemovedSeqs parked updates that are merged now
 */
public record DocumentWrite(
        DocumentKey key,
        long mergedLsn,
        long opCount,
        String text,
        boolean textChanged,
        String json,
        boolean jsonChanged,
        String missing,
        String warning,
        String error,
        long stalenessMillis,
        StalenessBound bound,
        boolean contentChanged,
        byte[] tail,
        Fold fold,
        List<ParkedUpdate> parkedAdded,
        long[] parkedRemovedSeqs) {
    public DocumentWrite {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(bound, "bound");
        if (tail != null && fold != null) {
            throw new IllegalArgumentException("a fold replaces the tail: a write has one of them");
        }
        parkedAdded = List.copyOf(parkedAdded);
    }
}
