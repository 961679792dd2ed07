package dev.walmerge.engine.journal;

/** A record that is not what was appended. The journal is a cache: start again, and the slot sends it once more. */
public final class CorruptJournalException extends RuntimeException {
    private static final long serialVersionUID = 1;

    CorruptJournalException(String message) {
        super(message);
    }
}
