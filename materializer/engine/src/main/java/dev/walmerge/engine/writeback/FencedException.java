package dev.walmerge.engine.writeback;

/** Another process took over, or the server is not in the state this process left it in. Fatal: stop writing. */
public final class FencedException extends Exception {
    private static final long serialVersionUID = 1L;

    public FencedException(String message) {
        super(message);
    }
}
