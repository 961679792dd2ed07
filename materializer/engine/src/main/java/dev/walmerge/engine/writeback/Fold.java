package dev.walmerge.engine.writeback;

/**
 * A new state that replaces the stored one and every tail row of the document.
 *
 * @param format the format of {@code state}
 * @param state the whole document; already decoded again and compared by the caller
 * @param stateVector the state vector of {@code state}
 */
public record Fold(String format, byte[] state, byte[] stateVector) {}
