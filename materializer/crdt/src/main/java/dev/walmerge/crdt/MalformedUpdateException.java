package dev.walmerge.crdt;

/**
 * An update, state vector or delete set that can't be read, or that exceeds a limit. The document it was meant for is
 * unchanged.
 *
 * <p>The message names the rule and the offset and never holds content.
 */
public final class MalformedUpdateException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String rule;
    private final int offset;

    MalformedUpdateException(String rule, int offset) {
        super(rule + " at byte " + offset);
        this.rule = rule;
        this.offset = offset;
    }

    /** A stable kebab-case code, such as {@code truncated} or {@code trailing-bytes}; WIRE.md lists them. */
    public String rule() {
        return rule;
    }

    /** Bytes from the start of the given update to where the fault was noticed. */
    public int offset() {
        return offset;
    }
}
