package dev.walmerge.bench.soak;

/**
 * One row to insert.
 *
 * @param format null: the collection's
 * @param bad whether it must become a dead letter
 */
record PlannedOp(PlannedDocument document, byte[] payload, String format, boolean bad) {}
