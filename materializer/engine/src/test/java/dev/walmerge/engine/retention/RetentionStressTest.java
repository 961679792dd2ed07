package dev.walmerge.engine.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.engine.testing.SidecarLogin;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.TakeOver;
import dev.walmerge.engine.writeback.WriteBack;
import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.replication.LogSequenceNumber;

/** Writers with transactions that overlap, a real slot, leaves left at every turn: no row goes that was not written. */
final class RetentionStressTest {
    private static final int WRITERS = 3;
    private static final int TRANSACTIONS = 150;
    private static final int MIN_TRIMS = 5;

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final SidecarLogin sidecar = SidecarLogin.create(database);
    private final String slot = database.name();
    private final AtomicLong written = new AtomicLong();
    private final AtomicBoolean writing = new AtomicBoolean(true);
    private final Set<String> committed = ConcurrentHashMap.newKeySet();
    private final Set<String> consumed = ConcurrentHashMap.newKeySet();

    @Test
    @Timeout(120)
    void everyRowIsWrittenOrStillThere() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1);
        try (Connection connection = sidecar.connect()) {
            database.execute("select pg_create_logical_replication_slot('" + slot + "', 'test_decoding')");
            Lease lease = TakeOver.takeOver(connection, "walmerge", "7", 1);
            List<Future<Void>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                writers.add(threads.submit(writer(i)));
            }
            Future<Void> consumer = threads.submit(consumer(lease));
            Retention retention = new Retention(lease, written::get, () -> true);
            int trims = 0;
            boolean more = true;
            while (more) {
                more = writers.stream().anyMatch(writer -> !writer.isDone());
                Set<String> before = Set.copyOf(committed);
                Round round = retention.run(connection, Duration.ZERO);
                trims += round.trimmed().size();
                if (!round.trimmed().isEmpty()) {
                    Set<String> there = rows(connection);
                    there.addAll(consumed);
                    assertThat(there).containsAll(before);
                }
            }
            for (Future<Void> writer : writers) {
                writer.get();
            }
            writing.set(false);
            consumer.get();
            assertThat(consumed).containsAll(committed);
            assertThat(trims).isGreaterThanOrEqualTo(MIN_TRIMS);
        } finally {
            writing.set(false);
            threads.shutdown();
            // The slot can't be dropped while it is read.
            threads.awaitTermination(60, TimeUnit.SECONDS);
            database.execute("select pg_drop_replication_slot('" + slot + "')");
        }
    }

    private Callable<Void> writer(int number) {
        return () -> {
            Random random = new Random(number);
            try (Connection connection = database.connect();
                    PreparedStatement insert =
                            connection.prepareStatement("insert into crdt.ops (doc, update) values (?, '\\x0000')")) {
                connection.setAutoCommit(false);
                for (int i = 0; i < TRANSACTIONS; i++) {
                    List<String> docs = new ArrayList<>();
                    int rows = 1 + random.nextInt(20);
                    for (int row = 0; row < rows; row++) {
                        String doc = number + "-" + i + "-" + row;
                        insert.setString(1, doc);
                        insert.executeUpdate();
                        docs.add(doc);
                    }
                    if (random.nextInt(10) == 0) {
                        connection.rollback();
                    } else {
                        connection.commit();
                        committed.addAll(docs);
                    }
                }
            }
            return null;
        };
    }

    /** A sidecar in small: what it read is consumed, then written. */
    private Callable<Void> consumer(Lease lease) {
        return () -> {
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement();
                    WriteBack writeBack = new WriteBack(sidecar::connect, lease, 2_000)) {
                boolean last = false;
                while (!last) {
                    last = !writing.get();
                    long end = written.get();
                    try (ResultSet row = statement.executeQuery(
                            "select lsn, substring(data from 'doc\\[text\\]:''([^'']*)'''), data like 'COMMIT%'"
                                    + " from pg_logical_slot_get_changes('" + slot + "', null, "
                                    + (last ? "null" : "40") + ")")) {
                        while (row.next()) {
                            if (row.getString(2) != null) {
                                consumed.add(row.getString(2));
                            }
                            if (row.getBoolean(3)) {
                                end = LogSequenceNumber.valueOf(row.getString(1))
                                        .asLong();
                            }
                        }
                    }
                    writeBack.commit(List.of(), List.of(), end);
                    written.set(end);
                }
            }
            return null;
        };
    }

    private static Set<String> rows(Connection connection) throws SQLException {
        Set<String> rows = ConcurrentHashMap.newKeySet();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select doc from crdt.ops")) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
        }
        return rows;
    }
}
