package dev.walmerge.engine.retention;

import static dev.walmerge.engine.testing.Rows.one;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.engine.testing.SidecarLogin;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.TakeOver;
import dev.walmerge.engine.writeback.WriteBack;
import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.postgresql.replication.LogSequenceNumber;

final class RetentionThreadTest {
    private static final Duration PERIOD = Duration.ofMillis(20);

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final SidecarLogin sidecar = SidecarLogin.create(database);
    private final AtomicLong written = new AtomicLong();
    private final AtomicReference<Exception> fatal = new AtomicReference<>();

    @Test
    void trimsUntilItIsFenced() throws Exception {
        Lease lease = takeOver();
        Retention retention = new Retention(lease, written::get, () -> true);
        try (WriteBack writeBack = new WriteBack(sidecar::connect, lease, 2_000);
                RetentionThread thread =
                        RetentionThread.start(sidecar::connect, retention, () -> Duration.ZERO, PERIOD, fatal::set)) {
            insert();
            awaitEmptyRing(writeBack);
            await().until(() -> one(
                            database,
                            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                                    + " where application_name = 'walmerge retention' and datname = current_database()")
                    .equals("1"));
            insert();
            awaitEmptyRing(writeBack);
            assertThat(fatal.get()).isNull();

            written.set(0);
            insert();
            takeOver();
            written.set(-1);
            await().until(() -> fatal.get() != null);
            assertThat(fatal.get()).isInstanceOf(FencedException.class);
            assertThat(one(database, "select count(*) from crdt.ops")).isEqualTo("1");
            assertThat(thread).isNotNull();
        }
    }

    private void awaitEmptyRing(WriteBack writeBack) {
        await().until(() -> {
            long lsn = LogSequenceNumber.valueOf(one(database, "select pg_current_wal_insert_lsn()"))
                    .asLong();
            writeBack.commit(List.of(), List.of(), lsn);
            written.set(lsn);
            return one(database, "select count(*) from crdt.ops").equals("0");
        });
    }

    private void insert() throws SQLException {
        database.execute("insert into crdt.ops (doc, update) values ('a', '\\x0000')");
    }

    private Lease takeOver() throws SQLException {
        try (Connection connection = sidecar.connect()) {
            return TakeOver.takeOver(connection, "walmerge", "7", 1);
        }
    }
}
