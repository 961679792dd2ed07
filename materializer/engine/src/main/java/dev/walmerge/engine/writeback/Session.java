package dev.walmerge.engine.writeback;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The settings that every session of ours has on the database of the documents. */
public final class Session {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    private Session() {}

    /**
     * Opens a connection and prepares it.
     *
     * @param role what {@code pg_stat_activity} calls it, after {@code walmerge}
     */
    public static Connection open(ConnectionSource source, String role) throws SQLException {
        Connection connection = source.open();
        try (Statement statement = connection.createStatement()) {
            // Row security would hide rows from reads and updates without a word; off, it is an error instead. The
            // others
            // may have other defaults in this database or for this role.
            statement.execute("set row_security = off; set synchronous_commit = on;"
                    + " set default_transaction_isolation = 'read committed';"
                    + " set application_name = 'walmerge "
                    + role + "'");
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Whether nothing more can be expected of a connection that failed with {@code e}. */
    public static boolean isLost(Connection connection, SQLException e) throws SQLException {
        String state = e.getSQLState();
        return connection.isClosed() || state == null || state.startsWith("08") || state.startsWith("57P");
    }

    /** Closes without a word: what is lost is lost, and the caller opens another. */
    public static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("close failed: {}", e.getSQLState());
        }
    }
}
