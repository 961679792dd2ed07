package dev.walmerge.engine.journal;

import java.io.IOException;

/** The journal does not hold what it should: it was deleted, damaged, or is another one's. The op rows hold it too. */
public final class JournalLostException extends IOException {
    private static final long serialVersionUID = 1L;

    JournalLostException(String message) {
        super(message);
    }

    JournalLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
