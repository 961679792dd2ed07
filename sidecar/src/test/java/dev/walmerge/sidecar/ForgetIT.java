package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sql.testing.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged sidecar is killed wherever it forgets a document; then an editor sends the document again. */
final class ForgetIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final List<String> KILLS = List.of(
            "after-receive:1:kill",
            "after-journal:1:kill",
            "before-write:1:kill",
            "inside-write:1:kill",
            "before-commit:1:kill",
            "after-commit:1:kill");

    @TempDir
    Path folder;

    private final App app =
            new App(PostgresServer.shared().createInstalledDatabase().url());
    private final Typing old = new Typing();
    private final Typing other = new Typing();

    @Test
    void killedWhereverAndStillGone() throws Exception {
        byte[] first = old.append(1, "secret ");
        try (SidecarProcess sidecar = start()) {
            app.insert("d", first);
            app.insert("other", other.append(1, "a"));
            awaitStarted();
            app.sync();
            assertThat(app.text("d")).isEqualTo("secret ");
            assertThat(sidecar.terminate(30)).as(sidecar::log).isEqualTo(ExitCode.OK);
        }
        app.insert("d", old.append(1, "more "));
        app.execute("select crdt.forget('d')");
        app.insert("d", first);
        app.insert("d", new byte[] {'b', 'a', 'd'});
        app.insert("other", other.append(1, "b"));
        for (String kill : KILLS) {
            try (SidecarProcess sidecar =
                    SidecarProcess.startWithFailpoint(kill, folder.resolve("sidecar.log"), arguments())) {
                assertThat(sidecar.waitFor(60)).as(kill + sidecar.log()).isEqualTo(137);
            }
            app.insert("d", old.append(1, "again "));
        }
        endsWith("ab");
    }

    /** The forgetting and ops of the document are promised to the slot and only in the journal. */
    @Test
    void goneAfterAReplayOfTheJournal() throws Exception {
        try (SidecarProcess sidecar = start("--journal-above", "0")) {
            awaitStarted();
            app.insert("d", old.append(1, "secret "));
            app.insert("other", other.append(1, "a"));
            app.sync();
            // What is locked holds write-back up, and with it everything that comes.
            try (Connection holder = app.connect();
                    Statement statement = holder.createStatement()) {
                app.execute("select crdt.alter_collection(flush_debounce => '1 hour', flush_interval => '1 hour',"
                        + " staleness_max => '1 hour')");
                app.insert("other", other.append(1, "b"));
                holder.setAutoCommit(false);
                statement.execute("lock table crdt.forgotten in exclusive mode");
                app.insert("d", old.append(1, "more "));
                app.execute("select crdt.forget('d')");
                app.insert("d", old.append(1, "again "));
                String end = app.one("select pg_current_wal_lsn()");
                await().atMost(PATIENCE)
                        .until(() -> app.one("select confirmed_flush_lsn >= '" + end + "' from pg_replication_slots"
                                        + " where slot_name = '" + slot() + "'")
                                .equals("t"));
                sidecar.kill();
            }
        }
        assertThat(app.text("d")).isEqualTo("secret ");
        app.execute("select crdt.alter_collection(flush_debounce => '100 ms', flush_interval => '1 s',"
                + " staleness_max => '1 s')");
        endsWith("ab");
        assertThat(Files.readString(folder.resolve("sidecar.log"))).contains("from the journal");
    }

    private void endsWith(String text) throws Exception {
        try (SidecarProcess sidecar = start()) {
            app.sync();
            assertThat(app.query("select doc from crdt.docs where doc = 'd' union all select doc from crdt.ydoc where"
                            + " doc = 'd' union all select doc from crdt.tail where doc = 'd' union all"
                            + " select doc from crdt.dead_letter where doc = 'd'"))
                    .isEmpty();
            assertThat(app.text("other")).isEqualTo(text);
            assertThat(app.one("select revived_at is null and error is null from crdt.forgotten"))
                    .isEqualTo("t");
            assertThat(app.one("select count(*) from crdt.command where done_at is null"))
                    .isEqualTo("0");
            assertThat(sidecar.terminate(30)).as(sidecar::log).isEqualTo(ExitCode.OK);
        }
    }

    private void awaitStarted() {
        await().atMost(PATIENCE).until(() -> {
            String written = app.one("select coalesce(max(written) > '0/0', false) from crdt.progress");
            return "t".equals(written);
        });
    }

    private SidecarProcess start(String... more) {
        return SidecarProcess.start(folder.resolve("sidecar.log"), arguments(more));
    }

    private String[] arguments(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "run",
                "--url",
                app.url(),
                "--slot",
                slot(),
                "--state-directory",
                folder.resolve("state").toString()));
        arguments.addAll(List.of(more));
        return arguments.toArray(new String[0]);
    }

    private String slot() {
        return "forget_" + app.url().replaceAll(".*/(t[0-9]+).*", "$1");
    }
}
