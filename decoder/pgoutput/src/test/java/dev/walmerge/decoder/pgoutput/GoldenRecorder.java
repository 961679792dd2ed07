package dev.walmerge.decoder.pgoutput;

import dev.walmerge.decoder.pgoutput.GoldenFile.Session;
import dev.walmerge.sql.testing.PostgresServer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.PGReplicationStream;

/**
 * Writes the golden files of one server: one workload, read through one slot for each session that the server speaks.
 * Its name keeps it out of the test run; README.md has the command.
 *
 * <p>The meaning beside the bytes is what our decoder says, so it proves nothing by itself: here every LSN, xid, time and
 * name of a transaction's end in it is compared with what the server's own reader of its log says, and {@link GoldenTest}
 * compares the changes with the workload.
 */
final class GoldenRecorder {
    private final PostgresServer.Database database = PostgresServer.shared().createDatabase();

    @Test
    @Timeout(120)
    void record() throws Exception {
        try (Connection sql = database.connect();
                Statement statement = sql.createStatement()) {
            statement.execute("set timezone = 'UTC'");
            statement.execute(GoldenWorkload.SCHEMA);
            String server = text(statement, "show server_version");
            List<Session> sessions = Session.of(Integer.parseInt(server.substring(0, 2)));
            for (Session session : sessions) {
                createSlot(statement, session);
            }
            String from = text(statement, "select pg_current_wal_flush_lsn()");
            work();
            List<GoldenFile> files = new ArrayList<>();
            for (Session session : sessions) {
                files.add(GoldenFile.decode(session, read(session)));
            }
            LoggedTransactions log = new LoggedTransactions(statement, from);
            Path resources = Path.of(System.getProperty("basedir"), "src", "test", "resources");
            for (GoldenFile file : files) {
                log.check(file);
                file.write(
                        resources,
                        "recorded by GoldenRecorder from PostgreSQL " + server + ": "
                                + file.session().protocol().slotOptions() + ", binary "
                                + file.session().binary());
            }
            // Slots and origins belong to the server, not to the database.
            for (Session session : sessions) {
                text(statement, "select pg_drop_replication_slot('" + slot(session) + "')");
            }
            text(statement, "select pg_replication_origin_drop('golden_origin')");
        }
    }

    private String slot(Session session) {
        return "golden_%d_%s_%s".formatted(session.version(), session.binary(), database.name());
    }

    private void createSlot(Statement statement, Session session) throws SQLException {
        text(statement, "select pg_create_logical_replication_slot('" + slot(session) + "', 'pgoutput')");
    }

    private void work() throws SQLException {
        Map<String, Connection> connections = new HashMap<>();
        try {
            for (GoldenWorkload.Step step : GoldenWorkload.steps()) {
                Connection connection = connections.get(step.session());
                if (connection == null) {
                    connection = connect(Map.of());
                    connections.put(step.session(), connection);
                }
                try (Statement statement = connection.createStatement()) {
                    statement.execute(step.sql());
                }
            }
        } finally {
            for (Connection connection : connections.values()) {
                connection.close();
            }
        }
    }

    /** A session in which several statements are one message, as psql sends them. */
    private Connection connect(Map<PGProperty, String> more) throws SQLException {
        Properties properties = new Properties();
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        more.forEach((property, value) -> property.set(properties, value));
        return DriverManager.getConnection(database.url(), properties);
    }

    private List<byte[]> read(Session session) throws SQLException {
        Properties options = new Properties();
        options.putAll(session.protocol().slotOptions());
        List<byte[]> messages = new ArrayList<>();
        try (Connection replication = connect(Map.of(
                        PGProperty.ASSUME_MIN_SERVER_VERSION, "10",
                        PGProperty.REPLICATION, "database",
                        PGProperty.OPTIONS, "-c logical_decoding_work_mem=64kB"));
                PGReplicationStream stream = replication
                        .unwrap(PGConnection.class)
                        .getReplicationAPI()
                        .replicationStream()
                        .logical()
                        .withSlotName(slot(session))
                        .withAutomaticFlush(false)
                        .withSlotOptions(options)
                        .withSlotOption("publication_names", GoldenWorkload.PUBLICATION)
                        .withSlotOption("binary", session.binary())
                        .withSlotOption("messages", true)
                        .start()) {
            boolean last = false;
            while (!last || messages.get(messages.size() - 1)[0] != 'C') {
                ByteBuffer buffer = stream.readPending();
                if (buffer == null) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                    continue;
                }
                byte[] message = Arrays.copyOfRange(
                        buffer.array(),
                        buffer.arrayOffset() + buffer.position(),
                        buffer.arrayOffset() + buffer.limit());
                messages.add(message);
                last |= isLast(message);
            }
        }
        return messages;
    }

    private static boolean isLast(byte[] message) {
        byte[] prefix = GoldenWorkload.LAST_PREFIX.getBytes(StandardCharsets.UTF_8);
        // Kind, flags and LSN come before it.
        int start = 10;
        return message[0] == 'M'
                && message.length > start + prefix.length
                && Arrays.equals(message, start, start + prefix.length, prefix, 0, prefix.length);
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
