package dev.walmerge.engine.journal;

import java.io.IOException;

/** Another engine uses the directory of the journal, in this process or another. It may be about to end. */
public final class JournalInUseException extends IOException {
    private static final long serialVersionUID = 1L;

    JournalInUseException(String message) {
        super(message);
    }
}
