package dev.walmerge.engine.writeback;

/** How a document, or its docs row, is written. */
public enum Care {
    /** In a batch with all others. */
    WITH_OTHERS,
    /** It was refused before: by itself, with little patience, so that it costs the others nothing. */
    ALONE,
    /** It was refused a short while ago: not tried at all. */
    NOT_NOW,
    /** Only for a docs row: its text and JSON could not be made, so only the error is written. */
    UNMADE
}
