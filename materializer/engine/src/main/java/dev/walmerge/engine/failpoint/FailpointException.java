package dev.walmerge.engine.failpoint;

/** What {@code throw} does at a failpoint: a fault that nobody expects. */
public final class FailpointException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FailpointException(Failpoint at) {
        super("failpoint " + at.label());
    }
}
