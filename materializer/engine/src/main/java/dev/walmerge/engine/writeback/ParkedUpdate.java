package dev.walmerge.engine.writeback;

/**
 * A causally early update, verbatim, as it stands in {@code parked}.
 *
 * @param seq its order among the parked updates of its document, never used twice
 * @param format the declared format of {@code payload}
 * @param payload the update; not changed by anyone
 * @param rowId the op row it came from
 * @param lsn the end LSN of the commit it came with, unsigned
 */
public record ParkedUpdate(long seq, String format, byte[] payload, long rowId, long lsn) {}
