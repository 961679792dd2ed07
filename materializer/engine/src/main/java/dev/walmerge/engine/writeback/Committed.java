package dev.walmerge.engine.writeback;

import java.util.List;
import java.util.UUID;

/**
 * A write-back transaction that is committed.
 *
 * @param nonce what the progress row holds now
 * @param failures documents whose text or JSON could not be stored, while their state or tail was; usually empty
 */
public record Committed(UUID nonce, List<ProjectionFailure> failures) {}
