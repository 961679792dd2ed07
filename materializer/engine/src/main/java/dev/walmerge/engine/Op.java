package dev.walmerge.engine;

/**
 * One row of an op table as it came through the slot.
 *
 * @param collection the name of the collection
 * @param doc the document key
 * @param format the declared format of {@code payload}, or null for the collection's default
 * @param payload one update, or null when the row holds a JSON op; owned by the op, not changed by anyone
 * @param json the JSON op as text, or null
 * @param role who inserted the row
 * @param rowId the identity of the row
 */
public record Op(String collection, String doc, String format, byte[] payload, String json, String role, long rowId) {}
