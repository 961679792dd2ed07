package dev.walmerge.engine.writeback;

/**
 * The publication was changed, dropped or made anew since the slot was made: ops in between may have been left out of the
 * stream, without an error. Start again from the tables, where they are.
 */
public final class PublicationChangedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PublicationChangedException(String message) {
        super(message);
    }
}
