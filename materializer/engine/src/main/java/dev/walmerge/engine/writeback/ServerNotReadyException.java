package dev.walmerge.engine.writeback;

import java.sql.SQLException;

/**
 * The server takes no new sessions: it is stopping, or starting. One that stops waits until every reader of a slot has
 * confirmed all there is, which nobody can who may not write any more: so let the slot go, and start again later.
 */
public final class ServerNotReadyException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final String CANNOT_CONNECT_NOW = "57P03";

    private final transient SQLException refusal;

    public ServerNotReadyException(SQLException refusal) {
        super("the server takes no sessions now", refusal);
        this.refusal = refusal;
    }

    /** What the server said. */
    public SQLException refusal() {
        return refusal;
    }

    /** Whether the server says that it takes no sessions at all, rather than not this one. */
    public static boolean isMeantBy(SQLException e) {
        return CANNOT_CONNECT_NOW.equals(e.getSQLState());
    }
}
