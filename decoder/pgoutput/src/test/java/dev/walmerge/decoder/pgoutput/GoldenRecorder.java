package dev.walmerge.decoder.pgoutput;

import dev.walmerge.decoder.pgoutput.GoldenFile.Session;
import dev.walmerge.sql.testing.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Writes the golden files of one server: one workload, read through one slot for each session that the server speaks.
 * Its name keeps it out of the test run; README.md has the command.
 *
 * <p>The meaning beside the bytes is what our decoder says, so it proves nothing by itself: here every LSN, xid, time and
 * name of a transaction's end in it is compared with what the server's own reader of its log says, and {@link GoldenTest}
 * compares the rest with the workload.
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
            String server = SlotSession.text(statement, "show server_version");
            List<Session> sessions = Session.of(Integer.parseInt(server.substring(0, 2)));
            for (Session session : sessions) {
                SlotSession.createSlot(statement, slot(session));
            }
            String from = SlotSession.text(statement, "select pg_current_wal_flush_lsn()");
            work();
            List<GoldenFile> files = new ArrayList<>();
            for (Session session : sessions) {
                files.add(GoldenFile.decode(session, read(session)));
            }
            LoggedTransactions log = new LoggedTransactions(statement, from);
            Path resources = Path.of(System.getProperty("basedir"), "src", "test", "resources");
            for (GoldenFile file : files) {
                log.check(file);
                Map<String, String> options = file.session().protocol().slotOptions();
                boolean binary = file.session().binary();
                file.write(
                        resources,
                        "recorded by GoldenRecorder from PostgreSQL " + server + ": " + options + ", binary " + binary);
            }
            // Slots and origins belong to the server, not to the database.
            for (Session session : sessions) {
                SlotSession.dropSlot(statement, slot(session));
            }
            SlotSession.text(statement, "select pg_replication_origin_drop('golden_origin')");
        }
    }

    private String slot(Session session) {
        return "golden_%d_%s_%s".formatted(session.version(), session.binary(), database.name());
    }

    private void work() throws SQLException {
        Map<String, Connection> connections = new HashMap<>();
        try {
            for (GoldenWorkload.Step step : GoldenWorkload.steps()) {
                Connection connection = connections.get(step.session());
                if (connection == null) {
                    connection = SlotSession.connect(database);
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

    private List<byte[]> read(Session session) throws SQLException {
        List<byte[]> messages = new ArrayList<>();
        try (SlotSession slot = new SlotSession(
                database, slot(session), GoldenWorkload.PUBLICATION, session.protocol(), session.binary())) {
            boolean last = false;
            do {
                messages.add(slot.next());
                last |= isLast(messages.get(messages.size() - 1));
            } while (!last || messages.get(messages.size() - 1)[0] != 'C');
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
}
