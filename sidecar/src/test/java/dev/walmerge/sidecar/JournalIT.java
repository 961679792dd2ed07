package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sql.testing.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged sidecar is killed after the slot was told of ops that are in no table but the op rows. */
final class JournalIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int DOCUMENTS = 50;
    private static final String HELLO = "01010100040101740568656c6c6f00";
    private static final String YOU = "010101058401040420796f7500";

    @TempDir
    Path folder;

    private PostgresServer.Database database;

    @BeforeEach
    void createDatabase() {
        database = PostgresServer.shared().createInstalledDatabase();
    }

    @Test
    void whatTheSlotWasToldOfComesFromTheJournal() throws Exception {
        killWithUnwrittenOps();
        try (SidecarProcess sidecar = start()) {
            assertEverythingIsThere();
            assertThat(sidecar.log()).contains("from the journal").doesNotContain("rows to backfill, epoch 2");
            assertThat(one("select string_agg(distinct op_count::text, ',') from crdt.docs"))
                    .as(sidecar.log())
                    .isEqualTo("2");
        }
    }

    /** What was not handed over when it ended must not be told written, though all that was handed over is. */
    @Test
    void anOrderlyEndInTheMiddleOfTheReplayLeavesTheRestToTheNext() throws Exception {
        killWithUnwrittenOps();
        try (SidecarProcess sidecar = SidecarProcess.startWithFailpoint(
                "after-journal:" + DOCUMENTS / 2 + ":hold", folder.resolve("sidecar.log"), arguments("0"))) {
            await().atMost(PATIENCE).until(() -> sidecar.log().contains("failpoint after-journal reached: HOLD"));
            // The reader waits in the middle until every thread can see that it is to end.
            assertThat(sidecar.terminate(60)).isZero();
            assertThat(sidecar.log()).contains("not all of the journal handed over", "not all written");
        }
        try (SidecarProcess sidecar = start()) {
            assertEverythingIsThere();
            assertThat(sidecar.log()).doesNotContain("rows to backfill, epoch 2");
        }
    }

    @Test
    void withoutTheJournalItComesFromTheTables() throws Exception {
        killWithUnwrittenOps();
        try (Stream<Path> files = Files.walk(folder.resolve("state"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        try (SidecarProcess sidecar = start()) {
            assertEverythingIsThere();
            assertThat(sidecar.log()).contains("the journal can't be used: there is no journal");
        }
    }

    @Test
    void withADamagedJournalItComesFromTheTables() throws Exception {
        killWithUnwrittenOps();
        damage();
        try (SidecarProcess sidecar = start()) {
            assertEverythingIsThere();
            assertThat(sidecar.log()).contains("the journal can't be used: a journal record");
        }
    }

    /** Other tables' WAL made it promise the journal, then an idle slot went on past that: nothing is missing anywhere. */
    @Test
    void anIdleSlotThatIsPastTheJournalGoesOn() throws Exception {
        database.execute("create table public.other (filler text)");
        try (SidecarProcess sidecar = startWithJournalAbove("1MiB")) {
            await().atMost(PATIENCE)
                    .until(() -> "t".equals(one("select coalesce(max(written) > '0/0', false) from crdt.progress")));
            insert(HELLO);
            sync();
            await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> {
                database.execute("insert into public.other select repeat('x', 1000) from generate_series(1, 4000)");
                return "t".equals(one("select journaled from crdt.progress"));
            });
            awaitConfirmed();
            database.execute("insert into public.other values ('a little more')");
            awaitConfirmed();
            assertThat(one("select journaled from crdt.progress"))
                    .as("as long as nothing is written after it, the journal is what was promised")
                    .isEqualTo("t");
            sidecar.kill();
        }
        try (SidecarProcess sidecar = startWithJournalAbove("1MiB")) {
            sync();
            assertThat(sidecar.log()).contains("going on from").doesNotContain("is read from the tables");
            assertThat(one("select string_agg(distinct op_count::text, ',') from crdt.docs"))
                    .isEqualTo("1");
        }
    }

    /** Half of the ops are written; the rest may wait for an hour, but the sidecar does not live that long. */
    private void killWithUnwrittenOps() throws Exception {
        // Before the first start: they are backfilled, and must not come again from the journal either.
        insert(HELLO);
        try (SidecarProcess sidecar = start()) {
            await().atMost(PATIENCE)
                    .until(() -> "t".equals(one("select coalesce(max(written) > '0/0', false) from crdt.progress")));
            sync();
            database.execute("select crdt.alter_collection(flush_debounce => '1 hour', flush_interval => '1 hour',"
                    + " staleness_max => '1 hour')");
            insert(YOU);
            awaitConfirmed();
            sidecar.kill();
        }
        assertThat(one("select journaled and written < (select confirmed_flush_lsn from pg_replication_slots"
                        + " where slot_name = '" + slot() + "') from crdt.progress"))
                .isEqualTo("t");
        assertThat(one("select count(*) from crdt.docs where body_text = 'hello' and op_count = 1"))
                .isEqualTo(String.valueOf(DOCUMENTS));
    }

    /** The slot is told all that is in the WAL now. */
    private void awaitConfirmed() throws SQLException {
        String end = one("select pg_current_wal_lsn()");
        await().atMost(PATIENCE)
                .until(() -> "t"
                        .equals(one("select confirmed_flush_lsn >= '" + end + "' from"
                                + " pg_replication_slots where slot_name = '" + slot() + "'")));
    }

    private void sync() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("call crdt.sync('2 minutes')");
        }
    }

    /** One bit of the last op that is in the journal. */
    private void damage() throws IOException {
        List<Path> queue;
        try (Stream<Path> files = Files.walk(folder.resolve("state"))) {
            queue = files.filter(file -> file.toString().endsWith(".cq4")).toList();
        }
        Path file = queue.get(queue.size() - 1);
        byte[] bytes = Files.readAllBytes(file);
        int at = bytes.length - 1;
        while (bytes[at] != 'y' || bytes[at + 1] != 'o' || bytes[at + 2] != 'u') {
            at--;
        }
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    private void assertEverythingIsThere() throws Exception {
        sync();
        assertThat(one("select count(*) from crdt.docs where body_text = 'hello you'"))
                .isEqualTo(String.valueOf(DOCUMENTS));
        assertThat(one("select count(*) from crdt.dead_letter")).isEqualTo("0");
    }

    private void insert(String update) throws SQLException {
        database.execute("insert into crdt.ops (doc, update) select 'doc-' || i, '\\x" + update
                + "' from generate_series(1, " + DOCUMENTS + ") i");
    }

    private SidecarProcess start() {
        return startWithJournalAbove("0");
    }

    private SidecarProcess startWithJournalAbove(String bytes) {
        return SidecarProcess.start(folder.resolve("sidecar.log"), arguments(bytes));
    }

    private String[] arguments(String journalAbove) {
        return new String[] {
            "run",
            "--url",
            database.url(),
            "--slot",
            slot(),
            "--journal-above",
            journalAbove,
            "--state-directory",
            folder.resolve("state").toString()
        };
    }

    private String slot() {
        return "journal_" + database.name();
    }

    private String one(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }
}
