package dev.walmerge.engine.writeback;

/**
 * A document whose text or JSON Postgres refused. Its state or tail is stored, its docs row keeps the old text, JSON and
 * position, and shows the error. The next write of the document must send text and JSON, changed or not.
 *
 * @param key the document
 * @param sqlState why
 * @param transientCause true when the same content may well go through later, as after a statement timeout: write the
 *     document again after a while, even when no op comes
 */
public record ProjectionFailure(DocumentKey key, String sqlState, boolean transientCause) {}
