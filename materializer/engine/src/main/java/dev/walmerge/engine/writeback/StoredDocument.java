package dev.walmerge.engine.writeback;

import java.util.List;

/**
 * What is stored of one document, as of one snapshot.
 *
 * @param stateFormat the format of {@code state}
 * @param state the compacted state, or null: there is no ydoc row yet
 * @param changes what was merged since, one V1 update a flush, in order: the rows of tail, then those of held
 * @param tailCount how many of them are rows of tail
 * @param parked causally early updates, by {@link ParkedUpdate#seq}, whether in parked or in held
 * @param mergedLsn every op of a commit that ends at or before it is in state, changes and parked; unsigned
 * @param opCount how many ops that were
 * @param text the stored text, or null
 * @param projected whether the stored text and JSON are those of state and changes; false after a failed projection:
 *     the next write must send both
 * @param blocks whether rows of blocks are stored
 * @param held why rows of it stand in held, or null when there are none
 * @param tombstone of a document that is or was forgotten, else null
 */
public record StoredDocument(
        String stateFormat,
        byte[] state,
        List<byte[]> changes,
        int tailCount,
        List<ParkedUpdate> parked,
        long mergedLsn,
        long opCount,
        String text,
        boolean projected,
        boolean blocks,
        String held,
        Tombstone tombstone) {
    /** Whether nothing but the tombstone is there. */
    public boolean isEmpty() {
        return state == null && held == null;
    }

    /** Whether its ops are dropped, and what is there of it is to be deleted. */
    public boolean isForgotten() {
        return tombstone != null && tombstone.isInForce();
    }
}
