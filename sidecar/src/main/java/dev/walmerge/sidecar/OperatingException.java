package dev.walmerge.sidecar;

import java.io.Serial;

/** Why the sidecar can't go on, in terms of what someone can do about it. The code has an anchor in ops/RUNBOOK.md. */
public final class OperatingException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final String code;
    private final String cure;

    /** Who can do something about it. */
    public enum Kind {
        /** Time: try again. */
        RETRYABLE,
        /** Someone who reads the cure. */
        OPERATOR,
        /** Nobody: this process must end. */
        FATAL
    }

    public OperatingException(Kind kind, String code, String message, String cure, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.code = code;
        this.cure = cure;
    }

    public Kind kind() {
        return kind;
    }

    /** Stable, kebab-case. */
    public String code() {
        return code;
    }

    /** What to do about it, as one clause. */
    public String cure() {
        return cure;
    }

    /** What to tell whoever runs this. */
    public String report() {
        return "walmerge: " + getMessage() + System.lineSeparator() + "  cure: " + cure + System.lineSeparator()
                + "  see:  ops/RUNBOOK.md#" + code;
    }

    public int exitCode() {
        return kind == Kind.FATAL ? ExitCode.FATAL : ExitCode.OPERATOR;
    }
}
