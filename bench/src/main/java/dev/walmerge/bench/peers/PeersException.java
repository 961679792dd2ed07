package dev.walmerge.bench.peers;

import java.io.Serial;

/** Why node or its packages can't be had here; the message says what to do about it. */
public final class PeersException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    PeersException(String message) {
        super(message);
    }
}
