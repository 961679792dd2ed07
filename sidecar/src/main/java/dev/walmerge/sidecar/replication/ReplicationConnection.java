package dev.walmerge.sidecar.replication;

import dev.walmerge.sidecar.replication.ReplicationErrors.Doing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationConnection;

/**
 * A session that speaks the replication protocol (PostgreSQL manual, Streaming Replication Protocol). Not thread-safe,
 * except for {@link #abort()}.
 */
public final class ReplicationConnection implements AutoCloseable {
    private static final Pattern SLOT_NAME = Pattern.compile("[a-z0-9_]{1,63}");

    private final Connection connection;
    private final LinkTraffic traffic;
    private boolean streaming;

    private ReplicationConnection(Connection connection, LinkTraffic traffic) {
        this.connection = connection;
        this.traffic = traffic;
    }

    public static ReplicationConnection open(Endpoint endpoint) throws ReplicationException {
        LinkTraffic traffic = new LinkTraffic();
        try {
            return new ReplicationConnection(endpoint.connectForReplication(traffic), traffic);
        } catch (SQLException e) {
            throw ReplicationErrors.of(Doing.CONNECT, e);
        }
    }

    public SystemIdentity identifySystem() throws ReplicationException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("IDENTIFY_SYSTEM")) {
            row.next();
            return new SystemIdentity(
                    row.getString("systemid"),
                    row.getInt("timeline"),
                    LogSequenceNumber.valueOf(row.getString("xlogpos")).asLong(),
                    row.getString("dbname"));
        } catch (SQLException e) {
            throw ReplicationErrors.of(Doing.IDENTIFY, e);
        }
    }

    /**
     * Creates a permanent slot and exports the snapshot of the moment it begins at. Waits for every transaction that has
     * written and is still open. Don't use this connection until the snapshot is imported: the next command ends it.
     */
    public CreatedSlot createSlot(String slot) throws ReplicationException {
        // This form of the command is accepted by every version; the one with parentheses by 15 and later.
        String command = "CREATE_REPLICATION_SLOT " + checkedName(slot) + " LOGICAL pgoutput EXPORT_SNAPSHOT";
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(command)) {
            row.next();
            return new CreatedSlot(
                    LogSequenceNumber.valueOf(row.getString("consistent_point")).asLong(),
                    row.getString("snapshot_name"));
        } catch (SQLException e) {
            throw ReplicationErrors.of(Doing.CREATE_SLOT, e);
        }
    }

    /** Drops a slot nobody reads. Whatever it had not sent is gone for it. */
    public void dropSlot(String slot) throws ReplicationException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP_REPLICATION_SLOT " + checkedName(slot));
        } catch (SQLException e) {
            throw ReplicationErrors.of(Doing.DROP_SLOT, e);
        }
    }

    /** The names Postgres allows need no quotes. */
    static String checkedName(String slot) {
        if (!SLOT_NAME.matcher(slot).matches()) {
            throw new IllegalArgumentException("a slot's name is 1 to 63 of a-z, 0-9 and _");
        }
        return slot;
    }

    /** The driver's API to start the stream with, after which nothing else can be done here. */
    PGReplicationConnection startStreaming() throws SQLException {
        streaming = true;
        return connection.unwrap(PGConnection.class).getReplicationAPI();
    }

    /** A replication session for a database runs plain SQL too, until it streams. */
    Statement createStatement() throws SQLException {
        return connection.createStatement();
    }

    PreparedStatement prepareStatement(String sql) throws SQLException {
        return connection.prepareStatement(sql);
    }

    LinkTraffic traffic() {
        return traffic;
    }

    /** Cuts the connection without a word, also from another thread, and whatever it is waiting for. */
    public void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // Then it is cut already.
        }
    }

    /** Says goodbye, or cuts the connection if it is streaming. */
    @Override
    public void close() {
        if (streaming) {
            abort();
            return;
        }
        try {
            connection.close();
        } catch (SQLException e) {
            // Then it is closed already.
        }
    }
}
