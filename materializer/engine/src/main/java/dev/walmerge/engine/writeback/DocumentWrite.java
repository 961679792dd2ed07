package dev.walmerge.engine.writeback;

import dev.walmerge.crdt.TextBlock;
import java.util.List;
import java.util.Objects;

/**
 * Everything one flush says about one document. Immutable: the arrays belong to the record and nobody changes them.
 *
 * <p>A write of a document without a ydoc row must carry a {@link Fold}, unless it is held; later ones may have a fold, a
 * change, both or neither.
 *
 * @param key the document
 * @param mergedLsn the end LSN of the last commit merged into it, unsigned
 * @param opCount how many ops were merged into it since it exists
 * @param text the whole text, also when it did not change; may be null only for a document without text
 * @param textChanged false leaves the stored text alone
 * @param json the whole JSON, or null for a null column
 * @param jsonChanged false leaves the stored JSON alone
 * @param blocks all blocks of the document, or null: the stored ones are left alone
 * @param missing what the document waits for, JSON text {@code {"client": clock}}; null when it is complete
 * @param warning shown in the docs row, or null
 * @param error shown in the docs row, or null
 * @param stalenessMillis how long the oldest change of this write waited
 * @param bound which rule of the policy decided
 * @param contentChanged whether {@code docs.version} moves
 * @param change what was merged since the last write, one V1 update, or null: a row of tail unless a fold says it, a row
 *     of held if the document can't be written
 * @param fold the new state, or null
 * @param parkedAdded updates that became parked since the last write
 * @param parkedRemovedSeqs parked updates that are merged now
 * @param rows how ydoc, tail and parked are written
 * @param docs how the docs row is written
 * @param held why rows of the document stand in held, as {@link Refused#reason}; null when there are none
 * @param lettersMerged dead letters that are merged with this write, and deleted
 */
public record DocumentWrite(
        DocumentKey key,
        long mergedLsn,
        long opCount,
        String text,
        boolean textChanged,
        String json,
        boolean jsonChanged,
        List<TextBlock> blocks,
        String missing,
        String warning,
        String error,
        long stalenessMillis,
        StalenessBound bound,
        boolean contentChanged,
        byte[] change,
        Fold fold,
        List<ParkedUpdate> parkedAdded,
        long[] parkedRemovedSeqs,
        Care rows,
        Care docs,
        String held,
        long[] lettersMerged) {
    public DocumentWrite {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(bound, "bound");
        if (rows == Care.NOT_NOW && held == null) {
            throw new IllegalArgumentException("a document that is not written now is held for a reason");
        }
        parkedAdded = List.copyOf(parkedAdded);
    }

    /** The same with another error, ahead of the one that it has. */
    DocumentWrite withError(String more) {
        return with(error == null ? more : more + "; " + error, rows, held);
    }

    /** The same where an earlier transaction, whose end was not seen, may have held the document. */
    DocumentWrite maybeHeld(String reason) {
        return with(error, rows == Care.WITH_OTHERS ? Care.ALONE : rows, held == null ? reason : held);
    }

    private DocumentWrite with(String error, Care rows, String held) {
        return new DocumentWrite(
                key,
                mergedLsn,
                opCount,
                text,
                textChanged,
                json,
                jsonChanged,
                blocks,
                missing,
                warning,
                error,
                stalenessMillis,
                bound,
                contentChanged,
                change,
                fold,
                parkedAdded,
                parkedRemovedSeqs,
                rows,
                docs,
                held,
                lettersMerged);
    }
}
