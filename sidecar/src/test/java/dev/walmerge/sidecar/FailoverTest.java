package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.embedded.ServerNode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another server answers than before, with or without all that was read from the earlier one. */
final class FailoverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String SLOT = "s";

    @TempDir
    Path folder;

    private final Typing typing = new Typing();
    private ServerNode primary;
    private Relay relay;
    private App app;
    private Sidecar sidecar;

    @BeforeEach
    void startServer() throws Exception {
        primary = ServerNode.start(folder.resolve("primary"));
        relay = new Relay(primary.port());
        app = new App(primary.url());
    }

    @AfterEach
    void close() throws Exception {
        if (sidecar != null) {
            sidecar.close();
        }
        relay.close();
        primary.close();
    }

    @Test
    void aPromotedStandbyThatHasEverything() throws Exception {
        try (ServerNode standby = primary.standby(folder.resolve("standby"))) {
            start();
            type(3);
            app.sync();
            App reader = new App(standby.url());
            assertThatThrownBy(reader::sync).isInstanceOfSatisfying(SQLException.class, e -> {
                assertThat(e.getSQLState()).isEqualTo("25006");
                assertThat(e.getMessage()).contains("crdt.barrier()");
            });
            type(1);
            reader.execute("call crdt.wait_for('" + app.one("select crdt.barrier()") + "', '60 s')");
            assertThat(reader.text("post")).isEqualTo(typing.text());
            type(3);
            standby.catchUpWith(primary);
            primary.stop("immediate");
            failOver(standby);

            app.sync();
            assertThat(app.text("post")).isEqualTo(typing.text());
            type(2);
            app.sync();
            assertThat(app.text("post")).isEqualTo(typing.text());
            app.assertDocumentsAreTheOps();
            assertThat(app.one("select timeline from crdt.progress")).isEqualTo("2");
        }
    }

    /** What was merged and written, but never reached the standby, must not come back there. */
    @Test
    void aPromotedStandbyThatLacksCommits() throws Exception {
        try (ServerNode standby = primary.standby(folder.resolve("standby"))) {
            start();
            type(3);
            app.sync();
            type(2);
            standby.catchUpWith(primary);
            standby.stopReceiving();
            Typing survived = typing.copy();
            type(4);
            app.insert("lost", new Typing().append(5, "never was"));
            app.sync();
            assertThat(app.text("lost")).isEqualTo("never was");
            primary.stop("immediate");
            failOver(standby);

            app.sync();
            assertThat(app.text("post")).isEqualTo(survived.text());
            assertThat(app.text("lost")).isNull();
            // Another author goes on, with the clocks of the lost updates.
            app.insert("post", survived.append(1, "new words"));
            app.sync();
            assertThat(app.text("post")).isEqualTo(survived.text());
            app.assertDocumentsAreTheOps();
        }
    }

    /**
     * The name points to the new primary, the old one lives on and goes on sending. Nothing was written since what the
     * new one has, so neither the epoch nor the nonce tells them apart.
     */
    @Test
    void whatAnOldPrimaryStillSendsIsNotWrittenToTheNewOne() throws Exception {
        try (ServerNode standby = primary.standby(folder.resolve("standby"))) {
            start();
            type(3);
            app.sync();
            standby.catchUpWith(primary);
            standby.stopReceiving();
            standby.promote();
            Typing survived = typing.copy();
            try (Connection holder = app.connect();
                    Statement statement = holder.createStatement()) {
                holder.setAutoCommit(false);
                statement.execute("select from crdt.progress for update");
                type(2);
                await().atMost(PATIENCE)
                        .until(() -> app.one("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                                        + " and application_name = 'walmerge write-back'")
                                .equals("1"));
                // It tries again at once, and is connected to the other one.
                relay.switchTo(standby.port(), true);
            }
            app = new App(standby.url());

            await().atMost(PATIENCE)
                    .until(() -> app.one("select timeline from crdt.progress").equals("2"));
            app.sync();
            assertThat(app.text("post")).isEqualTo(survived.text());
            app.assertDocumentsAreTheOps();
        }
    }

    /** System identifier, timeline and slot are the same; only the nonce says that the server went back. */
    @Test
    void aRestoredCopyOfTheServer() throws Exception {
        start();
        type(3);
        app.sync();
        type(1);
        Path copy = folder.resolve("copy");
        primary.stop("fast");
        primary.copyTo(copy);
        Typing survived = typing.copy();
        primary.start();
        type(3);
        app.insert("lost", new Typing().append(5, "never was"));
        app.sync();
        assertThat(app.text("post")).isEqualTo(typing.text());
        primary.stop("immediate");
        primary.restore(copy);
        primary.start();

        app.sync();
        assertThat(app.text("post")).isEqualTo(survived.text());
        assertThat(app.text("lost")).isNull();
        // Its WAL takes another course over the same positions.
        app.insert("post", survived.append(1, "elsewhere"));
        app.insert("post", survived.append(2, " and on"));
        app.sync();
        assertThat(app.text("post")).isEqualTo(survived.text());
        app.assertDocumentsAreTheOps();
    }

    /** As it is restored while the sidecar is down, and its slot moved on by somebody who reads it. */
    @Test
    void aRestoredCopyWhoseSlotWasMovedOn() throws Exception {
        start();
        type(3);
        app.sync();
        Path copy = folder.resolve("copy");
        primary.stop("fast");
        primary.copyTo(copy);
        Typing survived = typing.copy();
        primary.start();
        type(5);
        app.sync();
        sidecar.close();
        primary.stop("fast");
        primary.restore(copy);
        primary.start();
        app.insert("post", survived.append(1, "skipped"));
        app.execute("select pg_replication_slot_advance('" + SLOT + "', pg_current_wal_flush_lsn())");

        start();
        app.sync();
        assertThat(app.text("post")).isEqualTo(survived.text());
        app.assertDocumentsAreTheOps();
    }

    /** A copy of the database brings progress rows along that are of another one. */
    @Test
    void aCopyOfTheDatabase() throws Exception {
        start();
        type(3);
        app.sync();
        sidecar.close();
        // Of a server whose clock is ahead: who waits for freshness must not look at that row.
        app.execute("update crdt.progress set updated_at = now() + interval '1 day'");
        new App(primary.url().replace("/postgres?", "/template1?")).execute("create database twin template postgres");
        app = new App(primary.url().replace("/postgres?", "/twin?"));
        type(2);
        try (Sidecar other = app.sidecar("twin_slot", folder.resolve("twin"))) {
            assertThat(other.stats()).isNotNull();
            app.sync();
            assertThat(app.text("post")).isEqualTo(typing.text());
        }
        // The name of the slot in the copied row, after the first database let it go.
        new App(primary.url()).dropSlot(SLOT);
        app.execute("select pg_create_logical_replication_slot('" + SLOT + "', 'pgoutput')");
        type(1);
        app.execute("select pg_replication_slot_advance('" + SLOT + "', pg_current_wal_flush_lsn())");
        try (Sidecar other = app.sidecar(SLOT, folder.resolve("state"))) {
            assertThat(other.stats()).isNotNull();
            app.sync();
            assertThat(app.text("post")).isEqualTo(typing.text());
        }
        app.assertDocumentsAreTheOps();
    }

    private void start() throws Exception {
        sidecar = new App(relay.url()).sidecar(SLOT, folder.resolve("state"));
    }

    private void failOver(ServerNode standby) throws Exception {
        standby.promote();
        relay.switchTo(standby.port(), false);
        app = new App(standby.url());
        await().atMost(PATIENCE)
                .until(() -> app.one("select timeline from crdt.progress").equals("2"));
    }

    private void type(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            app.insert("post", typing.append(1 + i % 3, "word "));
        }
    }
}
