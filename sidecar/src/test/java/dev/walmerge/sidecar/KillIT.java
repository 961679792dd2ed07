package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sql.testing.PostgresServer;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers go on while the packaged sidecar is killed, again and again; then every text is the one yjs gives. */
final class KillIT {
    private static final int KILLS = 20;
    private static final long NANOS_PER_EDIT = 2_000_000;
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);
    private static final List<String> TRACES = List.of("friendsforever", "clownschool", "sveltecomponent");

    @TempDir
    Path folder;

    @Test
    void twentyKillsLoseAndDoubleNothing() throws Exception {
        System.out.println("KillIT: -Dwalmerge.seed=" + SEED);
        PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
        List<Trace> traces = new ArrayList<>();
        for (String name : TRACES) {
            traces.add(Trace.read(name));
        }
        ExecutorService writers = Executors.newFixedThreadPool(traces.size());
        try {
            List<Future<Integer>> written = new ArrayList<>();
            for (Trace trace : traces) {
                written.add(writers.submit(() -> write(database, trace, folder.resolve(trace.name() + ".ledger"))));
            }
            killWhileWriting(database, written);
            try (SidecarProcess last = start(database)) {
                for (int i = 0; i < traces.size(); i++) {
                    int edits = traces.get(i).updates().size();
                    assertThat(written.get(i).get(5, TimeUnit.MINUTES)).isEqualTo(edits);
                    assertThat(Files.readAllLines(folder.resolve(traces.get(i).name() + ".ledger")))
                            .hasSize(edits);
                }
                sync(database);
                assertEveryTextIsWhatYjsGives(database, traces);
                assertThat(last.terminate(20)).as(last::log).isEqualTo(ExitCode.OK);
            }
        } finally {
            writers.shutdownNow();
        }
    }

    private void killWhileWriting(PostgresServer.Database database, List<Future<Integer>> written) throws Exception {
        Random random = new Random(SEED);
        int kills = 0;
        int killsWhileWriting = 0;
        while (kills < KILLS) {
            try (SidecarProcess sidecar = start(database)) {
                // Every other one is killed while it starts or just after; the rest anywhere in a short working life.
                if (kills % 2 == 1) {
                    long before = epoch(database);
                    await().atMost(Duration.ofMinutes(1)).until(() -> epoch(database) > before);
                }
                long untilKillMillis = random.nextInt(2_000);
                assertThat(sidecar.endsWithin(untilKillMillis)).as(sidecar::log).isFalse();
                sidecar.kill();
                kills++;
                killsWhileWriting += written.stream().allMatch(Future::isDone) ? 0 : 1;
            }
        }
        System.out.println("KillIT: " + killsWhileWriting + " of " + kills + " kills while edits came in");
        assertThat(killsWhileWriting).as("kills under load").isGreaterThan(KILLS / 2);
    }

    private static long epoch(PostgresServer.Database database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select coalesce(max(epoch), 0) from crdt.progress")) {
            row.next();
            return row.getLong(1);
        }
    }

    private SidecarProcess start(PostgresServer.Database database) {
        return SidecarProcess.start(
                folder.resolve("sidecar.log"),
                "run",
                "--url",
                database.url(),
                "--slot",
                "kill_" + database.name(),
                "--state-directory",
                folder.resolve("state").toString());
    }

    /** One transaction an edit, at a steady pace so that the edits last as long as the kills; the ledger line is on disk before the next edit starts. */
    private static int write(PostgresServer.Database database, Trace trace, Path ledger) throws Exception {
        int edits = 0;
        long start = System.nanoTime();
        try (Connection connection = database.connect();
                PreparedStatement insert =
                        connection.prepareStatement("insert into crdt.ops (doc, update) values (?, ?)");
                FileOutputStream file = new FileOutputStream(ledger.toFile());
                Writer lines = new OutputStreamWriter(file, StandardCharsets.UTF_8)) {
            for (byte[] update : trace.updates()) {
                insert.setString(1, trace.name());
                insert.setBytes(2, update);
                insert.executeUpdate();
                lines.write(edits + "\n");
                lines.flush();
                file.getFD().sync();
                edits++;
                LockSupport.parkNanos(start + edits * NANOS_PER_EDIT - System.nanoTime());
            }
        }
        return edits;
    }

    private static void sync(PostgresServer.Database database) throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("call crdt.sync('2 minutes')");
        }
    }

    private static void assertEveryTextIsWhatYjsGives(PostgresServer.Database database, List<Trace> traces)
            throws Exception {
        try (Connection connection = database.connect();
                PreparedStatement select =
                        connection.prepareStatement("select body_text, complete, error from crdt.docs where doc = ?")) {
            for (Trace trace : traces) {
                select.setString(1, trace.name());
                try (ResultSet row = select.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString("error")).isNull();
                    assertThat(row.getBoolean("complete")).isTrue();
                    assertThat(Trace.sha256(row.getString("body_text"))).isEqualTo(trace.textSha256());
                }
            }
        }
    }
}
