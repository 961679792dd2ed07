package dev.walmerge.sidecar.embedded;

/**
 * The embedded Postgres can't be used, and a person can do something about it: the message says what. The code is
 * stable and names an anchor of the runbook.
 */
public final class EmbeddedServerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;

    EmbeddedServerException(String code, String message) {
        super(message);
        this.code = code;
    }

    EmbeddedServerException(String code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** One of {@code embedded-busy}, {@code embedded-root}, {@code embedded-platform}, {@code embedded-folder}, {@code embedded-start}. */
    public String code() {
        return code;
    }

    /** What to tell whoever runs this. */
    public String report() {
        return "walmerge: " + getMessage() + System.lineSeparator() + "  see:  ops/RUNBOOK.md#" + code;
    }
}
