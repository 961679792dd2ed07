package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.embedded.ServerNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What others do to the slot, to the publication and to the WAL. As much foreign WAL as one likes:
 * {@code mvn -pl sidecar test -Dtest=SlotLifecycleTest -Dwalmerge.foreign.megabytes=5000}.
 */
final class SlotLifecycleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int FOREIGN_MEGABYTES = Integer.getInteger("walmerge.foreign.megabytes", 300);
    private static final String SLOT = "s";

    @TempDir
    static Path serverFolder;

    private static ServerNode server;
    private static int databases;

    @TempDir
    Path state;

    private final Typing typing = new Typing();
    private App app;
    private Sidecar sidecar;

    @BeforeAll
    static void startServer() throws Exception {
        server = ServerNode.start(serverFolder.resolve("server"));
    }

    @AfterAll
    static void stopServer() throws IOException {
        server.close();
    }

    @BeforeEach
    void createDatabase() throws SQLException {
        String name = "app" + ++databases;
        server.execute("create database " + name + " template postgres");
        app = new App(server.url().replace("/postgres?", "/" + name + "?"));
    }

    @AfterEach
    void close() {
        if (sidecar != null) {
            sidecar.close();
        }
        await().atMost(PATIENCE).until(() -> dropSlot());
    }

    @Test
    void droppedWhileItIsRead() throws Exception {
        start();
        type(2);
        app.sync();
        await().atMost(PATIENCE).until(() -> dropSlot());
        type(2);
        app.sync();
        assertWhole();
    }

    @Test
    void madeAnewByAnotherWhileItIsRead() throws Exception {
        start();
        type(2);
        app.sync();
        // All of it before the sidecar is back.
        String skipped = HexFormat.of().formatHex(typing.append(1, "skipped "));
        await().atMost(PATIENCE)
                .until(() -> dropSlot(
                        "insert into crdt.ops (doc, update) values ('post', '\\x" + skipped + "')",
                        "select pg_create_logical_replication_slot('" + SLOT + "', 'pgoutput')"));
        type(2);
        app.sync();
        assertWhole();
    }

    @Test
    void madeAnewByAnotherWhileTheSidecarIsDown() throws Exception {
        start();
        type(2);
        app.sync();
        sidecar.close();
        app.dropSlot(SLOT);
        type(2);
        app.execute("select pg_create_logical_replication_slot('" + SLOT + "', 'pgoutput')");
        type(2);
        start();
        app.sync();
        assertWhole();
    }

    /** What the slot was told while nothing happened is on record after a clean end, and in a file after none. */
    @Test
    void anIdleSlotIsNoReasonToReadEverythingAgain() throws Exception {
        start();
        type(3);
        app.sync();
        app.execute("create table other (filler text)");
        app.execute("insert into other select repeat('x', 1000) from generate_series(1, 2000)");
        String end = app.one("select pg_current_wal_flush_lsn()");
        await().atMost(PATIENCE)
                .until(() -> app.one("select confirmed_flush_lsn >= '" + end + "' from pg_replication_slots")
                        .equals("t"));
        // As a crash would: every session is cut, and the next one has only the file.
        for (String epoch : new String[] {"2", "3", "4"}) {
            app.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'walmerge %'");
            await().atMost(PATIENCE)
                    .until(() -> app.one("select epoch from crdt.progress").equals(epoch));
        }
        app.sync();
        assertThat(app.one("select op_count from crdt.docs")).isEqualTo("3");
        sidecar.close();
        try (var files = Files.walk(state.resolve("idle"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
        start();
        app.sync();
        // Reading the rows again would have counted them again.
        assertThat(app.one("select op_count from crdt.docs")).isEqualTo("3");
        assertWhole();
    }

    @Test
    void invalidatedWhileItIsRead() throws Exception {
        start();
        type(2);
        app.sync();
        app.execute("create table other (filler text)");
        try (Connection holder = app.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("select from crdt.progress for update");
            type(1);
            server.execute("alter system set max_slot_wal_keep_size = '1MB'");
            server.execute("select pg_reload_conf()");
            await().atMost(PATIENCE).until(() -> {
                app.execute("insert into other select repeat('x', 1000) from generate_series(1, 2000)");
                app.execute("select pg_switch_wal()");
                app.execute("checkpoint");
                return app.query("select wal_status from pg_replication_slots").stream()
                        .noneMatch(status -> !"lost".equals(status));
            });
        } catch (SQLException e) {
            // The take-over ends whoever holds the row, if it is of the same role.
            assertThat(e.getSQLState()).startsWith("57P");
        } finally {
            server.execute("alter system reset max_slot_wal_keep_size");
            server.execute("select pg_reload_conf()");
        }
        type(1);
        app.sync();
        assertWhole();
    }

    /** Every version leaves out, in silence, what a table got while it was not in the publication; 18 more than that. */
    @Test
    void changesOfThePublicationAreNoticedWhileTheSlotIsRead() throws Exception {
        start();
        type(2);
        app.sync();
        app.execute("alter publication walmerge drop table crdt.ops");
        type(2);
        app.execute("alter publication walmerge add table crdt.ops");
        await().atMost(PATIENCE).until(() -> typing.text().equals(app.text("post")));

        app.execute("drop publication walmerge");
        type(2);
        app.execute("create publication walmerge for table crdt.ops, crdt.collection, crdt.command"
                + " with (publish = 'insert', publish_via_partition_root = true)");
        await().atMost(PATIENCE).until(() -> typing.text().equals(app.text("post")));

        app.execute("alter publication walmerge set table crdt.ops where (id < 0), crdt.collection, crdt.command");
        type(1);
        app.execute("alter publication walmerge set table crdt.ops, crdt.collection, crdt.command");
        await().atMost(PATIENCE).until(() -> typing.text().equals(app.text("post")));
        type(1);
        app.sync();
        assertWhole();
    }

    @Test
    void changesOfThePublicationAreNoticedAfterwards() throws Exception {
        start();
        type(2);
        app.sync();
        sidecar.close();
        app.execute("alter publication walmerge drop table crdt.ops");
        type(2);
        app.execute("alter publication walmerge add table crdt.ops");
        start();
        app.sync();
        assertWhole();
    }

    /** Nothing counts as written that may lack something, even before the change was noticed. */
    @Test
    void nobodyIsToldThatAnOpIsWrittenWhichTheSlotLeftOut() throws Exception {
        start();
        type(2);
        app.sync();
        app.execute("alter publication walmerge drop table crdt.ops");
        type(1);
        app.execute("alter publication walmerge add table crdt.ops");
        app.sync();
        assertThat(app.text("post")).isEqualTo(typing.text());
        assertWhole();
    }

    @Test
    void aResyncIsShown() throws Exception {
        start();
        type(2);
        app.sync();
        assertThat(app.one("select severity from crdt.health where name = 'resync'"))
                .isEqualTo("ok");
        sidecar.close();
        app.dropSlot(SLOT);
        app.execute("insert into crdt.ops (doc, update) select 'filler', '\\x0000' from generate_series(1, 500000)");
        CompletableFuture<Sidecar> starting = CompletableFuture.supplyAsync(this::started);
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> app.one("select severity || ' ' || finding from crdt.health where name = 'resync'")
                        .matches("warning a resync is under way: [0-9]+ of 500002 rows of ops are read"));
        // Who asks for what is there now waits for all of it.
        sidecar = starting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        app.sync();
        assertThat(app.text("post")).isEqualTo(typing.text());
        assertThat(app.one("select severity from crdt.health where name = 'resync'"))
                .isEqualTo("ok");
    }

    @Test
    void syncDuringAndAfterASlotThatIsMadeAnew() throws Exception {
        start();
        type(1);
        app.sync();
        for (int i = 0; i < 3; i++) {
            type(1);
            await().atMost(PATIENCE).until(() -> dropSlot());
            app.sync();
            assertThat(app.text("post")).isEqualTo(typing.text());
        }
        // Nothing came since: it returns at once.
        long startNanos = System.nanoTime();
        app.execute("call crdt.sync('30 s')");
        assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void foreignWalDoesNotPinTheSlot() throws Exception {
        start();
        type(1);
        app.sync();
        app.execute("create table other (filler text)");
        app.execute("alter table other alter filler set storage external");
        String before = app.one("select xmin || ' ' || written from crdt.progress");
        for (int written = 0; written < FOREIGN_MEGABYTES; written += 50) {
            app.execute("insert into other select repeat('x', 10000) from generate_series(1, 5000)");
            app.execute("truncate other");
        }
        String end = app.one("select pg_current_wal_flush_lsn()");
        await().atMost(PATIENCE)
                .until(() -> app.one("select confirmed_flush_lsn >= '" + end + "' from pg_replication_slots")
                        .equals("t"));
        assertThat(app.one("select xmin || ' ' || written from crdt.progress"))
                .as("written by us meanwhile")
                .isEqualTo(before);
        type(1);
        app.sync();
        assertWhole();
    }

    private void start() {
        sidecar = started();
    }

    private Sidecar started() {
        try {
            return app.sidecar(SLOT, state);
        } catch (OperatingException | ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    private void type(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            app.insert("post", typing.append(1 + i % 3, "word "));
        }
    }

    private void assertWhole() throws Exception {
        assertThat(app.text("post")).isEqualTo(typing.text());
        app.assertDocumentsAreTheOps();
    }

    /** Ends the slot's reader, and as soon as it let go, drops the slot and does the rest. */
    private boolean dropSlot(String... rest) throws SQLException {
        try {
            app.execute("do $$ begin"
                    + " perform pg_terminate_backend(active_pid, 5000) from pg_replication_slots where active_pid > 0;"
                    + " perform pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '"
                    + SLOT
                    + "'; end $$");
        } catch (SQLException e) {
            // It was taken again in between.
            return false;
        }
        for (String statement : rest) {
            try {
                app.execute(statement);
            } catch (SQLException e) {
                // The sidecar was faster.
                assertThat(e.getSQLState()).isEqualTo("42710");
            }
        }
        return true;
    }
}
