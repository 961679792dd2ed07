package dev.walmerge.bench.peers;

import java.io.Serial;

/** Why the comparison can't be run here; the message says what to do about it. */
final class PeersException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    PeersException(String message) {
        super(message);
    }
}
