package dev.walmerge.engine.journal;

import java.io.IOException;

/** The disk under the journal has no room, or less than the reserve. Passes when someone makes room. */
public final class JournalDiskFullException extends IOException {
    private static final long serialVersionUID = 1L;

    JournalDiskFullException(String message, Throwable cause) {
        super(message, cause);
    }
}
