package dev.walmerge.engine.writeback;

/**
 * Names a dead letter that is stored.
 *
 * @param id of the dead letter
 * @param document it is for
 */
public record LetterKey(long id, DocumentKey document) {}
