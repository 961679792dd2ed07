package dev.walmerge.decoder.pgoutput;

import dev.walmerge.sql.testing.PostgresServer;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.PGReplicationStream;

/** Reads a slot's messages as they are, from a server that keeps no more than 64 kB of a transaction in memory. */
final class SlotSession implements AutoCloseable {
    private final Connection connection;
    private final PGReplicationStream stream;

    SlotSession(PostgresServer.Database database, String slot, String publication, Protocol protocol, boolean binary)
            throws SQLException {
        Properties options = new Properties();
        options.putAll(protocol.slotOptions());
        connection = connect(
                database,
                Map.of(
                        PGProperty.ASSUME_MIN_SERVER_VERSION, "10",
                        PGProperty.REPLICATION, "database",
                        PGProperty.OPTIONS, "-c logical_decoding_work_mem=64kB"));
        stream = connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .logical()
                .withSlotName(slot)
                .withAutomaticFlush(false)
                .withSlotOptions(options)
                .withSlotOption("publication_names", publication)
                .withSlotOption("binary", binary)
                .withSlotOption("messages", true)
                .start();
    }

    /** A session in which several statements are one message, as psql sends them. */
    static Connection connect(PostgresServer.Database database) throws SQLException {
        return connect(database, Map.of());
    }

    private static Connection connect(PostgresServer.Database database, Map<PGProperty, String> more)
            throws SQLException {
        Properties properties = new Properties();
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        more.forEach((property, value) -> property.set(properties, value));
        return DriverManager.getConnection(database.url(), properties);
    }

    static void createSlot(Statement statement, String slot) throws SQLException {
        text(statement, "select pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
    }

    static void dropSlot(Statement statement, String slot) throws SQLException {
        text(statement, "select pg_drop_replication_slot('" + slot + "')");
    }

    static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Waits for it. */
    byte[] next() throws SQLException {
        ByteBuffer buffer = stream.readPending();
        while (buffer == null) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            buffer = stream.readPending();
        }
        int start = buffer.arrayOffset() + buffer.position();
        return Arrays.copyOfRange(buffer.array(), start, start + buffer.remaining());
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            stream.close();
        }
    }
}
