package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.config.SidecarSettings;
import dev.walmerge.sidecar.embedded.ServerNode;
import dev.walmerge.sidecar.metrics.Monitoring;
import dev.walmerge.sidecar.replication.SlotFixture;
import dev.walmerge.sql.testing.PostgresServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the port says while things go well and while they don't; what the database says is the truth. */
final class MonitoringTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> STAGES = List.of("received", "journaled", "merged", "written");
    private static final List<String> COUNTERS = List.of(
            "walmerge_ops_total",
            "walmerge_merged_ops_total",
            "walmerge_document_flushes_total",
            "walmerge_document_folds_total",
            "walmerge_dead_letters_total",
            "walmerge_sessions_total");

    @TempDir
    Path folder;

    private final Map<Setting, String> settings = new EnumMap<>(Setting.class);
    private App app;
    private Sidecar sidecar;
    private Monitoring monitoring;
    private Probe probe;

    private PostgresServer.Database database;

    @AfterEach
    void close() throws Exception {
        if (sidecar != null) {
            sidecar.close();
        }
        if (monitoring != null) {
            monitoring.close();
        }
        if (database != null) {
            SlotFixture.drop(database, settings.get(Setting.SLOT));
        }
    }

    @Test
    void numbersMoveWithTheOpsAndAreWhatTheDatabaseSays() throws Exception {
        useDatabase();
        listen();
        assertThat(probe.ask("/ready")).isEqualTo("503 starting");
        assertThat(probe.ask("/live")).isEqualTo("200 live");
        start();
        awaitReady("200 ready");
        Typing typing = new Typing();
        Map<String, Double> before = probe.metrics();
        for (int i = 0; i < 30; i++) {
            app.insert("doc-" + i % 7, typing.copy().append(1, "words "));
            before = assertMovedForward(before, probe.metrics());
        }
        app.insert("doc-0", new byte[] {11});
        app.sync();
        await().atMost(PATIENCE).untilAsserted(() -> {
            Map<String, Double> now = probe.metrics();
            assertThat(now)
                    .containsEntry("walmerge_ops_total", number("select count(*) from crdt.ops"))
                    .containsEntry("walmerge_dead_letters_total", number("select count(*) from crdt.dead_letter"))
                    .containsEntry("walmerge_merged_ops_total", 30.0)
                    .containsEntry("walmerge_epoch", number("select epoch from crdt.progress"))
                    .containsEntry("walmerge_resident_documents", number("select count(*) from crdt.docs"))
                    .containsEntry(
                            "walmerge_slot_confirmed_bytes",
                            number("select confirmed_flush_lsn - '0/0' from pg_replication_slots where slot_name = '"
                                    + settings.get(Setting.SLOT) + "'"))
                    .containsEntry("walmerge_dirty_documents", 0.0)
                    .containsEntry("walmerge_behind_bytes{stage=\"merged\"}", 0.0)
                    .containsEntry("walmerge_behind_bytes{stage=\"written\"}", 0.0)
                    .containsEntry("walmerge_read_lag_seconds", 0.0)
                    .containsEntry("walmerge_journal_state{state=\"ready\"}", 1.0)
                    .containsEntry("walmerge_state{code=\"ready\"}", 1.0)
                    .containsEntry("walmerge_sessions_total", 1.0);
            assertThat(now.get("walmerge_watermark_bytes{stage=\"written\"}"))
                    .isGreaterThanOrEqualTo(number("select written - '0/0' from crdt.progress"));
        });
        Map<String, Double> end = assertMovedForward(before, probe.metrics());
        assertThat(end.get("walmerge_document_flushes_total"))
                .isGreaterThanOrEqualTo(number("select sum(version) from crdt.docs"));
        assertThat(end.get("jvm_memory_used_bytes{area=\"heap\"}")).isPositive();
        assertThat(probe.get("/metrics", "application/openmetrics-text;version=1.0.0")
                        .body())
                .contains("walmerge_ops_total 31")
                .endsWith("# EOF\n");

        sidecar.close();
        assertThat(probe.ask("/ready")).isEqualTo("503 stopping");
        assertThat(probe.ask("/live")).isEqualTo("503 stopping");
        assertThat(probe.metrics()).containsEntry("walmerge_ops_total", 31.0);
    }

    @Test
    void aServerThatIsAwayIsWaitedFor() throws Exception {
        try (ServerNode server = ServerNode.start(folder.resolve("server"))) {
            app = new App(server.url());
            settings.put(Setting.SLOT, "s");
            listen();
            start();
            awaitReady("200 ready");
            app.insert("doc", new Typing().append(1, "one"));
            app.sync();
            server.stop("fast");
            List<String> codes = new ArrayList<>();
            await().atMost(PATIENCE).until(() -> {
                codes.add(probe.ask("/ready"));
                assertThat(probe.ask("/live")).isEqualTo("200 live");
                return probe.metrics().get("walmerge_sessions_total") > 2;
            });
            assertThat(codes.get(codes.size() - 1))
                    .as("%s", codes)
                    .isIn("503 server-unreachable", "503 connection-lost");
            assertThat(probe.metrics())
                    .containsEntry("walmerge_ready", 0.0)
                    .containsEntry("walmerge_connected", 0.0)
                    .containsEntry("walmerge_ops_total", 1.0)
                    .doesNotContainKeys("walmerge_epoch", "walmerge_read_lag_seconds");
            server.start();
            awaitReady("200 ready");
            assertThat(probe.ask("/live")).isEqualTo("200 live");
            app.insert("other", new Typing().append(2, "two"));
            app.sync();
            await().atMost(PATIENCE).until(() -> probe.metrics().get("walmerge_ops_total") == 2.0);
            assertThat(probe.metrics()).containsEntry("walmerge_epoch", 2.0).containsEntry("walmerge_connected", 1.0);
            sidecar.close();
        }
    }

    @Test
    void notReadyUntilTheTablesAreRead() throws Exception {
        useDatabase();
        app.insert("doc", new Typing().append(1, "one"));
        app.insert("doc", new byte[] {11});
        listen();
        try (Connection other = app.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table crdt.dead_letter in share mode");
            start();
            awaitReady("503 resync");
            assertThat(probe.ask("/live")).isEqualTo("200 live");
            other.rollback();
        }
        awaitReady("200 ready");
        assertThat(app.text("doc")).isEqualTo("one");
    }

    /** A slot can't be made before every transaction that has written something ends. */
    @Test
    void notReadyWhileTheFirstSlotIsMade() throws Exception {
        useDatabase();
        listen();
        try (Connection other = app.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("insert into crdt.ops (doc, update) values ('open', '\\x0b')");
            start();
            awaitReady("503 resync");
            assertThat(app.one("select count(*) from pg_replication_slots where confirmed_flush_lsn is not null and"
                            + " slot_name = '" + settings.get(Setting.SLOT) + "'"))
                    .isEqualTo("0");
            other.rollback();
        }
        awaitReady("200 ready");
    }

    @Test
    void notReadyWhileTheJournalIsFull() throws Exception {
        useDatabase();
        settings.put(Setting.MEMORY, "16MiB");
        settings.put(Setting.JOURNAL_MAX, "16MiB");
        listen();
        start();
        awaitReady("200 ready");
        try (Connection other = app.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table crdt.progress in exclusive mode");
            insertDocuments(200, new Typing().append(1, "x".repeat(200_000)));
            await().atMost(PATIENCE)
                    .until(() -> probe.metrics().get("walmerge_journal_state{state=\"journal-full\"}") == 1.0);
            Map<String, Double> full = probe.metrics();
            assertThat(full)
                    .containsEntry("walmerge_journal_state{state=\"journal-full\"}", 1.0)
                    .containsEntry("walmerge_journal_state{state=\"ready\"}", 0.0)
                    .containsEntry("walmerge_connected", 1.0);
            assertThat(full.get("walmerge_journal_bytes"))
                    .isGreaterThanOrEqualTo(full.get("walmerge_journal_limit_bytes"));
            assertThat(probe.ask("/live")).isEqualTo("200 live");
            await().atMost(PATIENCE)
                    .until(() ->
                            probe.metrics().get("walmerge_read_lag_seconds") > full.get("walmerge_read_lag_seconds"));
            // The cause, once it has lasted for a while; before that, what comes of it.
            awaitReady("503 write-failing");
            assertThat(app.one("select severity from crdt.health where name = 'writing'"))
                    .isEqualTo("ok");
            other.rollback();
        }
        app.sync();
        awaitReady("200 ready");
    }

    @Test
    void whyASessionCanNotBeginIsSaid() throws Exception {
        useDatabase();
        settings.put(Setting.JOURNAL_RESERVE, "1000000GiB");
        listen();
        start();
        awaitReady("503 journal-disk-full");
        assertThat(probe.ask("/live")).isEqualTo("200 live");
    }

    /** It may have to take over at night. */
    @Test
    void whoWaitsForItsTurnHasLookedAtItsFolder() throws Exception {
        useDatabase();
        listen();
        start();
        awaitReady("200 ready");
        Path file = Files.createFile(folder.resolve("no-folder"));
        assertThatThrownBy(() -> app.sidecar("other_slot", file).close())
                .isInstanceOf(OperatingException.class)
                .matches(e -> ((OperatingException) e).code().equals("state-directory"));
    }

    @Test
    void anEndIsSaidToo() throws Exception {
        useDatabase();
        listen();
        start();
        awaitReady("200 ready");
        app.execute("update crdt.progress set epoch = epoch + 1");
        awaitReady("503 fenced");
        await().atMost(PATIENCE).until(() -> probe.ask("/live").equals("503 fenced"));
    }

    @Test
    void anAddressThatCanNotBeHadIsAnOperatorsError() throws Exception {
        useDatabase();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> Monitoring.open(with("127.0.0.1:" + taken.getLocalPort())))
                    .isInstanceOf(OperatingException.class)
                    .hasMessageContaining(String.valueOf(taken.getLocalPort()))
                    .matches(e -> ((OperatingException) e).code().equals("http-address"))
                    .matches(e -> ((OperatingException) e).exitCode() == ExitCode.OPERATOR);
        }
        for (String none : List.of("192.0.2.1:0", "no-such-host.invalid:0")) {
            assertThatThrownBy(() -> Monitoring.open(with(none))).isInstanceOf(OperatingException.class);
        }
        try (Monitoring closed = Monitoring.open(with(""))) {
            assertThat(closed.address()).isNull();
        }
    }

    private void useDatabase() {
        database = PostgresServer.shared().createInstalledDatabase();
        app = new App(database.url());
        settings.put(Setting.SLOT, "slot_" + database.name());
    }

    private SidecarSettings with(String http) throws Exception {
        settings.put(Setting.URL, app.url());
        settings.put(Setting.STATE_DIRECTORY, folder.resolve("state").toString());
        settings.put(Setting.HTTP, http);
        return ConfigLoader.load(settings, Map.of(), null);
    }

    private void listen() throws Exception {
        monitoring = Monitoring.open(with("127.0.0.1:0"));
        probe = new Probe(monitoring.address());
    }

    private void start() throws Exception {
        sidecar = new Sidecar(with("127.0.0.1:0"));
        monitoring.follow(sidecar::status);
        Thread begins = new Thread(
                () -> {
                    try {
                        sidecar.begin();
                    } catch (OperatingException e) {
                        // The port says it.
                    }
                },
                "begins");
        begins.setDaemon(true);
        begins.start();
    }

    private void insertDocuments(int count, byte[] update) throws SQLException {
        try (Connection connection = app.connect();
                PreparedStatement insert =
                        connection.prepareStatement("insert into crdt.ops (doc, update) values (?, ?)")) {
            for (int i = 0; i < count; i++) {
                insert.setString(1, "doc-" + i);
                insert.setBytes(2, update);
                insert.executeUpdate();
            }
        }
    }

    private void awaitReady(String answer) {
        await().atMost(PATIENCE).until(() -> probe.ask("/ready").equals(answer));
    }

    private double number(String sql) throws Exception {
        return Double.parseDouble(app.one(sql));
    }

    private static Map<String, Double> assertMovedForward(Map<String, Double> before, Map<String, Double> now) {
        for (int i = 0; i < STAGES.size(); i++) {
            String mark = mark(i);
            assertThat(now.get(mark)).as(mark).isGreaterThanOrEqualTo(before.get(mark));
            if (i > 0) {
                assertThat(now.get(mark)).as(mark).isLessThanOrEqualTo(now.get(mark(i - 1)));
                assertThat(now.get("walmerge_behind_bytes{stage=\"" + STAGES.get(i) + "\"}"))
                        .isEqualTo(now.get(mark(i - 1)) - now.get(mark));
            }
        }
        for (String counter : COUNTERS) {
            assertThat(now.get(counter)).as(counter).isGreaterThanOrEqualTo(before.get(counter));
        }
        return now;
    }

    private static String mark(int stage) {
        return "walmerge_watermark_bytes{stage=\"" + STAGES.get(stage) + "\"}";
    }
}
