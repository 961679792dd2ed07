package dev.walmerge.sidecar;

/** How a process ends. */
public final class ExitCode {
    public static final int OK = 0;
    /** A check that was asked for failed. */
    public static final int CHECK_FAILED = 1;

    public static final int USAGE = 2;
    /** An operator can fix it: the message says how. */
    public static final int OPERATOR = 3;

    public static final int FATAL = 4;

    private ExitCode() {}
}
