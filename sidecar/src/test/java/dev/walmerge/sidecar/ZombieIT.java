package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sql.testing.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A packaged sidecar is stopped, another takes over, and the first goes on as if nothing had been. */
final class ZombieIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    private final App app =
            new App(PostgresServer.shared().createInstalledDatabase().url());
    private final Typing typing = new Typing();

    /** The documents are the same, whatever slot they are written by. */
    @Test
    void stoppedWhileIdleAndTakenOverByAnotherSlot() throws Exception {
        try (SidecarProcess first = start("a", 1)) {
            type();
            awaitText();
            app.sync();
            first.signal("STOP");
            type();
            takeOverFrom(first, "b");
        }
    }

    /** Its session keeps the progress row locked: the other one ends it. */
    @Test
    void stoppedInsideAWriteBack() throws Exception {
        try (SidecarProcess first = start("c", 1)) {
            type();
            awaitText();
            stopInsideAWriteBack(first);
            takeOverFrom(first, "c");
        }
    }

    private void stopInsideAWriteBack(SidecarProcess first) throws Exception {
        try (Connection holder = app.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("lock table crdt.docs in exclusive mode");
            type();
            await().atMost(PATIENCE)
                    .until(() -> app.one("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                                    + " and datname = current_database() and application_name = 'walmerge write-back'")
                            .equals("1"));
            first.signal("STOP");
        }
        await().atMost(PATIENCE)
                .until(() -> app.one("select count(*) from pg_stat_activity where state = 'idle in transaction'"
                                + " and datname = current_database() and application_name = 'walmerge write-back'")
                        .equals("1"));
    }

    private void takeOverFrom(SidecarProcess first, String slot) throws Exception {
        long startNanos = System.nanoTime();
        try (SidecarProcess second = start(slot, 2)) {
            awaitText();
            System.out.println("ZombieIT: taken over and written after "
                    + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos)
                    + " ms, the start of a JVM included");
            type();
            app.sync();
            String epochs = "select string_agg(slot || ' ' || epoch, ', ' order by slot) from crdt.progress";
            String before = app.one(epochs);
            String version = app.one("select token from crdt.docs");

            first.signal("CONT");
            assertThat(first.waitFor(60)).as(first::log).isEqualTo(ExitCode.FATAL);
            assertThat(first.log()).contains("fenced");
            assertThat(app.one(epochs)).isEqualTo(before);
            assertThat(app.one("select token from crdt.docs")).isEqualTo(version);
            type();
            app.sync();
            assertThat(app.text("post")).isEqualTo(typing.text());
            assertThat(app.one(epochs)).isEqualTo(before);
            app.assertDocumentsAreTheOps();
            assertThat(second.terminate(30)).as(second::log).isEqualTo(ExitCode.OK);
        }
    }

    private void type() throws Exception {
        app.insert("post", typing.append(1, "word "));
    }

    private void awaitText() {
        await().atMost(PATIENCE).until(() -> typing.text().equals(app.text("post")));
    }

    private SidecarProcess start(String slot, int number) {
        return SidecarProcess.start(
                folder.resolve("sidecar-" + number + ".log"),
                "run",
                "--url",
                app.url(),
                "--slot",
                "zombie_" + slot,
                "--state-directory",
                folder.resolve("state-" + number).toString());
    }
}
