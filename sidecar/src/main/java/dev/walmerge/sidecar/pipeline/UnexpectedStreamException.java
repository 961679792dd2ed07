package dev.walmerge.sidecar.pipeline;

/** The stream holds what this version of the program can't have caused: another schema, another server. Fatal. */
public final class UnexpectedStreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnexpectedStreamException(String message) {
        super(message);
    }
}
