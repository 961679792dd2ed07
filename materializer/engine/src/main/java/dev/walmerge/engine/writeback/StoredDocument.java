package dev.walmerge.engine.writeback;

import java.util.List;

/**
 * What is stored of one document, as of one snapshot.
 *
 * @param stateFormat the format of {@code state}
 * @param state the compacted state
 * @param tails what was merged since, one V1 update a flush, in order
 * @param parked causally early updates, by {@link ParkedUpdate#seq}
 * @param mergedLsn every op of a commit that ends at or before it is in state, tails and parked; unsigned
 * @param opCount how many ops that were
 * @param text the stored text, or null
 * @param projected whether the stored text and JSON are those of state and tails; false after a failed projection:
 *     the next write must send both
 */
public record StoredDocument(
        String stateFormat,
        byte[] state,
        List<byte[]> tails,
        List<ParkedUpdate> parked,
        long mergedLsn,
        long opCount,
        String text,
        boolean projected) {}
