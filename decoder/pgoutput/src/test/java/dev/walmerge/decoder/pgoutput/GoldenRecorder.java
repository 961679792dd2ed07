package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/**
 * Writes the golden files of one server version. Its name keeps it out of the test run; README.md has the command.
 *
 * <p>The meaning beside the bytes is what our decoder says, so it proves nothing by itself: here every LSN, xid and
 * commit time in it is compared with what the server's own reader of its log says, and {@link GoldenTest} compares the
 * values with the workload.
 */
final class GoldenRecorder {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(60)
    void record(boolean binary) throws Exception {
        PostgresServer.Database database = PostgresServer.shared().createDatabase();
        String slot = "golden_" + database.name();
        List<byte[]> messages;
        String version;
        try (Connection sql = database.connect();
                Statement statement = sql.createStatement();
                Connection replication = connectForReplication(database.url())) {
            statement.execute("set timezone = 'UTC'");
            statement.execute(GoldenWorkload.SCHEMA);
            version = text(statement, "show server_version");
            String from = text(statement, "select pg_current_wal_flush_lsn()");
            PGConnection connection = replication.unwrap(PGConnection.class);
            connection
                    .getReplicationAPI()
                    .createReplicationSlot()
                    .logical()
                    .withSlotName(slot)
                    .withOutputPlugin("pgoutput")
                    .make();
            work(database);
            messages = read(connection, slot, binary);
            compareWithLog(statement, from, messages);
        }
        // Origins belong to the server, not to the database.
        database.execute("select pg_drop_replication_slot('" + slot + "')");
        database.execute("select pg_replication_origin_drop('golden_origin')");
        String name = version.substring(0, 2) + (binary ? "-binary" : "-text");
        new GoldenFile(name, entries(messages))
                .write(
                        Path.of(System.getProperty("basedir"), "src", "test", "resources"),
                        "recorded by GoldenRecorder from PostgreSQL " + version + ", binary '" + binary + "'");
    }

    private static Connection connectForReplication(String url) throws SQLException {
        Properties properties = new Properties();
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "10");
        PGProperty.REPLICATION.set(properties, "database");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        return DriverManager.getConnection(url, properties);
    }

    private static void work(PostgresServer.Database database) throws SQLException {
        try (Connection sql = database.connect()) {
            for (GoldenWorkload.Row row : GoldenWorkload.ROWS) {
                try (PreparedStatement insert = sql.prepareStatement(GoldenWorkload.INSERT_ROW)) {
                    insert.setLong(1, row.id());
                    insert.setString(2, row.doc());
                    insert.setBytes(3, row.update());
                    insert.setString(4, row.json());
                    insert.setString(5, row.mood());
                    insert.executeUpdate();
                }
            }
        }
        for (String transaction : GoldenWorkload.TRANSACTIONS) {
            try (Connection sql = database.connect();
                    Statement statement = sql.createStatement()) {
                sql.setAutoCommit(false);
                statement.execute(transaction);
                sql.commit();
            }
        }
    }

    private static List<byte[]> read(PGConnection connection, String slot, boolean binary) throws SQLException {
        List<byte[]> messages = new ArrayList<>();
        try (PGReplicationStream stream = connection
                .getReplicationAPI()
                .replicationStream()
                .logical()
                .withSlotName(slot)
                .withAutomaticFlush(false)
                .withSlotOption("proto_version", Protocol.PLAIN.version())
                .withSlotOption("publication_names", GoldenWorkload.PUBLICATION)
                .withSlotOption("binary", binary)
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
                last |= message[0] == 'M' && message[10] == 'l';
            }
        }
        return messages;
    }

    private static List<GoldenFile.Entry> entries(List<byte[]> messages) throws MalformedMessageException {
        List<String> meanings = new ArrayList<>();
        PgoutputDecoder decoder = new PgoutputDecoder();
        List<GoldenFile.Entry> entries = new ArrayList<>();
        for (byte[] message : messages) {
            decoder.decode(message, 0, message.length, new EventText(meanings));
            entries.add(new GoldenFile.Entry(message, meanings.get(meanings.size() - 1)));
        }
        return entries;
    }

    /** Fails unless the begins, commits and messages are those that the server's log holds, in the same order. */
    private static void compareWithLog(Statement statement, String from, List<byte[]> messages) throws Exception {
        List<String> decoded = new ArrayList<>();
        for (GoldenFile.Entry entry : entries(messages)) {
            if (entry.meaning().startsWith("begin") || entry.meaning().startsWith("commit")) {
                decoded.add(entry.meaning());
            }
        }
        Map<String, List<String>> log = new HashMap<>();
        try (ResultSet row = statement.executeQuery("""
                -- A transaction that was replayed from an origin commits at the origin's time.
                select start_lsn, end_lsn, xid, (1000000 * extract(epoch from
                  coalesce(substring(description from ', at (.*)$'), split_part(description, ';', 1))::timestamptz))::bigint
                from pg_get_wal_records_info('%s', pg_current_wal_flush_lsn())
                where resource_manager = 'Transaction' and record_type = 'COMMIT'
                """.formatted(from))) {
            while (row.next()) {
                long start = LogSequenceNumber.valueOf(row.getString(1)).asLong();
                long end = LogSequenceNumber.valueOf(row.getString(2)).asLong();
                String begin = "begin commitLsn=%s commitTimeMicros=%s xid=%s"
                        .formatted(EventText.lsn(start), row.getString(4), row.getString(3));
                String commit = "commit commitLsn=%s endLsn=%s commitTimeMicros=%s"
                        .formatted(EventText.lsn(start), EventText.lsn(end), row.getString(4));
                log.put(begin, List.of(begin, commit));
            }
        }
        for (int i = 0; i < decoded.size(); i += 2) {
            assertThat(log).containsEntry(decoded.get(i), decoded.subList(i, i + 2));
        }
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
