package dev.walmerge.engine.writeback;

import java.util.List;
import java.util.UUID;

/**
 * A write-back transaction that is committed.
 *
 * @param nonce what the progress row holds now
 * @param refused parts of documents that could not be written; usually empty
 */
public record Committed(UUID nonce, List<Refused> refused) {}
