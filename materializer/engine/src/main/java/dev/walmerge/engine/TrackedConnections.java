package dev.walmerge.engine;

import dev.walmerge.engine.writeback.ConnectionSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Remembers which connections are open, so that a thread that hangs in one can be ended. Thread-safe. */
final class TrackedConnections implements ConnectionSource {
    private static final Logger LOG = LoggerFactory.getLogger(TrackedConnections.class);

    private final ConnectionSource source;
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean aborted;

    TrackedConnections(ConnectionSource source) {
        this.source = source;
    }

    @Override
    public Connection open() throws SQLException {
        if (aborted) {
            throw new SQLException("the engine is closed", "08003");
        }
        open.removeIf(TrackedConnections::isClosed);
        Connection connection = source.open();
        open.add(connection);
        return connection;
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** Cuts every connection; whoever uses one gets an error. */
    void abort() {
        aborted = true;
        for (Connection connection : open) {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("abort failed: {}", e.getSQLState());
            }
        }
    }
}
