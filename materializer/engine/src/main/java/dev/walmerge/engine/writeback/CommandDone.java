package dev.walmerge.engine.writeback;

/**
 * A command was carried out.
 *
 * @param id of the row
 */
public record CommandDone(long id) implements Entry {}
