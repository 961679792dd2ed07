package dev.walmerge.sidecar.replication;

import static dev.walmerge.sidecar.replication.SlotReaderTest.assertEnded;
import static dev.walmerge.sidecar.replication.SlotReaderTest.expect;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.decoder.pgoutput.PgoutputDecoder;
import dev.walmerge.sidecar.replication.ReplicationException.Code;
import dev.walmerge.sql.testing.PostgresServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each way a slot can fail to be read is told apart, by the server's own errors. */
@Timeout(60)
final class ReplicationFaultsTest {
    @Test
    void aServerTellsWhoItIs() throws Exception {
        try (SlotFixture fixture = new SlotFixture();
                ReplicationConnection connection = ReplicationConnection.open(fixture.endpoint)) {
            SystemIdentity identity = connection.identifySystem();
            assertThat(identity.database()).isEqualTo(fixture.database.name());
            assertThat(identity.timeline()).isPositive();
            assertThat(identity.currentLsn()).isPositive();
            assertThat(identity.systemIdentifier())
                    .isEqualTo(query(fixture, "select system_identifier from pg_control_system()"));
        }
    }

    @Test
    void aSlotIsCreatedSeenAndDropped() throws Exception {
        try (SlotFixture fixture = new SlotFixture();
                ReplicationConnection connection = ReplicationConnection.open(fixture.endpoint)) {
            assertThat(fixture.state()).isNull();
            CreatedSlot created = connection.createSlot(fixture.slot);
            assertThat(created.snapshotName()).isNotEmpty();
            SlotState state = fixture.state();
            assertThat(state.plugin()).isEqualTo("pgoutput");
            assertThat(state.database()).isEqualTo(fixture.database.name());
            assertThat(state.walStatus()).isEqualTo("reserved");
            assertThat(state.confirmedFlushLsn()).isEqualTo(created.consistentPointLsn());
            assertThat(state.restartLsn()).isPositive();
            assertThat(state.active()).isFalse();
            assertThat(state.lost()).isFalse();
            expect(Code.SLOT_EXISTS, () -> connection.createSlot(fixture.slot));
            connection.dropSlot(fixture.slot);
            assertThat(fixture.state()).isNull();
            expect(Code.SLOT_MISSING, () -> connection.dropSlot(fixture.slot));
        }
    }

    @Test
    void aSlotThatIsReadCanNotBeDropped() throws Exception {
        try (SlotFixture fixture = new SlotFixture();
                ReplicationConnection connection = ReplicationConnection.open(fixture.endpoint)) {
            fixture.createSlot();
            try (RunningReader running = RunningReader.start(fixture.endpoint, fixture.options())) {
                assertThat(fixture.state().active()).isTrue();
                expect(Code.SLOT_IN_USE, () -> connection.dropSlot(fixture.slot));
                running.stop();
            }
        }
    }

    @Test
    void aMissingSlot() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            expect(Code.SLOT_MISSING, () -> RunningReader.start(fixture.endpoint, fixture.options()));
        }
    }

    @Test
    void aMissingPublication() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            SlotReaderOptions options = SlotReaderOptions.of(fixture.slot, "no such \"publication\"", 0);
            expect(Code.PUBLICATION_MISSING, () -> RunningReader.start(fixture.endpoint, options));
            assertThat(fixture.state().active()).isFalse();
        }
    }

    @Test
    void aRoleWithoutReplication() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            String role = "r_" + fixture.database.name();
            fixture.database.execute("create role " + role + " login");
            String url = fixture.database.url().replace("user=postgres", "user=" + role);
            assertThat(url).contains(role);
            expect(Code.NOT_ALLOWED, () -> ReplicationConnection.open(Endpoint.of(url)));
            fixture.database.execute("drop role " + role);
        }
    }

    @Test
    void aMissingDatabase() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            String url = fixture.database.url().replace(fixture.database.name(), "no_such_database");
            expect(Code.DATABASE_MISSING, () -> ReplicationConnection.open(Endpoint.of(url)));
        }
    }

    @Test
    void noServerAtAll() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Endpoint endpoint = Endpoint.of("jdbc:postgresql://localhost:" + port + "/app?user=app");
        expect(Code.CONNECTION_LOST, () -> ReplicationConnection.open(endpoint));
    }

    @Test
    void noSlotLeft() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.database.execute("""
                    select pg_create_physical_replication_slot('full_' || n)
                    from generate_series(1, current_setting('max_replication_slots')::int
                      - (select count(*)::int from pg_replication_slots)) n
                    """);
            expect(Code.NO_FREE_SLOT, fixture::createSlot);
            fixture.database.execute("select pg_drop_replication_slot(slot_name) from pg_replication_slots"
                    + " where slot_name like 'full%'");
        }
    }

    @Test
    void walLevelReplica() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                        .setServerConfig("wal_level", "replica")
                        .start();
                ReplicationConnection connection =
                        ReplicationConnection.open(Endpoint.of(server.getJdbcUrl("postgres", "postgres")))) {
            expect(Code.WAL_LEVEL, () -> connection.createSlot("s"));
        }
    }

    /** WAL the slot still needs is removed by the server. */
    @Test
    void aLostSlot() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            execute(fixture, "alter system set max_slot_wal_keep_size = '1MB'", "select pg_reload_conf()");
            try {
                // A checkpoint each time: on a busy disk they take seconds.
                await().atMost(Duration.ofMinutes(2)).until(() -> {
                    execute(fixture, "create table t (a int)", "drop table t", "select pg_switch_wal()", "checkpoint");
                    return fixture.state().lost();
                });
            } finally {
                execute(fixture, "alter system reset max_slot_wal_keep_size", "select pg_reload_conf()");
            }
            expect(Code.SLOT_LOST, () -> RunningReader.start(fixture.endpoint, fixture.options()));
        }
    }

    @Test
    void aLinkThatWentSilentIsCut() throws Exception {
        try (SlotFixture fixture = new SlotFixture();
                FreezingProxy proxy =
                        new FreezingProxy(PostgresServer.shared().process().getPort())) {
            fixture.createSlot();
            int port = PostgresServer.shared().process().getPort();
            Endpoint endpoint = Endpoint.of(fixture.database.url().replace(":" + port, ":" + proxy.port()));
            SlotReaderOptions options = new SlotReaderOptions(
                    fixture.slot,
                    SlotFixture.PUBLICATION,
                    0,
                    Duration.ofMillis(100),
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(5));
            try (RunningReader running = RunningReader.start(endpoint, options)) {
                // A server that has nothing to say for longer than the limit is not taken for dead.
                long startNanos = System.nanoTime();
                await().until(() -> System.nanoTime() - startNanos > TimeUnit.SECONDS.toNanos(4));
                assertThat(running.ended()).isNotDone();
                proxy.freeze();
                assertEnded(running, Code.LINK_SILENT);
            }
        }
    }

    /** A server that shuts down waits for its slots' readers to confirm all it sent. */
    @Test
    void aServerThatShutsDownIsNotHeldUp() throws Exception {
        PostgresServer server = PostgresServer.start();
        EmbeddedPostgres process = server.process();
        try {
            PostgresServer.Database database = server.createDatabase();
            database.execute("create table t (doc text); create publication p for table t");
            Endpoint endpoint = Endpoint.of(database.url());
            try (ReplicationConnection connection = ReplicationConnection.open(endpoint)) {
                connection.createSlot("s");
            }
            try (RunningReader running = RunningReader.start(endpoint, SlotReaderOptions.of("s", "p", 0))) {
                database.execute("insert into t values ('a')");
                await().until(() -> running.recorder.commits() == 1);
                // Fails after five seconds.
                process.close();
                assertEnded(running, Code.CONNECTION_LOST);
                assertThat(running.recorder.docs()).containsExactly("a");
            }
        } finally {
            process.close();
        }
    }

    /** A reader may be stuck in a read for a message of which the rest never comes. */
    @Test
    void itStopsInsideAMessageOfASilentLink() throws Exception {
        try (SlotFixture fixture = new SlotFixture();
                FreezingProxy proxy =
                        new FreezingProxy(PostgresServer.shared().process().getPort())) {
            fixture.createSlot();
            int port = PostgresServer.shared().process().getPort();
            Endpoint endpoint = Endpoint.of(fixture.database.url().replace(":" + port, ":" + proxy.port()));
            proxy.freezeAfterBytes(1_000_000);
            try (RunningReader running = RunningReader.start(endpoint, fixture.options())) {
                fixture.database.execute(
                        "insert into crdt.ops (doc, update)" + " select 'd', convert_to(repeat('x', 5000000), 'UTF8')");
                await().until(proxy::isFrozen);
                assertThat(running.ended()).isNotDone();
                running.stop();
            }
        }
    }

    @Test
    void aPublicationThatIsDroppedWhileStreaming() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            // Later versions send nothing and say nothing.
            assumeThat(Integer.parseInt(query(fixture, "show server_version_num")))
                    .isLessThan(180_000);
            fixture.createSlot();
            try (RunningReader running = RunningReader.start(fixture.endpoint, fixture.options())) {
                fixture.database.execute("drop publication " + SlotFixture.PUBLICATION);
                fixture.insert("a");
                assertEnded(running, Code.PUBLICATION_MISSING);
            }
        }
    }

    @Test
    void aMessageTheDecoderRefuses() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            fixture.insert("a");
            SlotReader reader = SlotReader.start(ReplicationConnection.open(fixture.endpoint), fixture.options());
            PgoutputDecoder decoder = new PgoutputDecoder();
            StreamRecorder handler = new StreamRecorder();
            expect(
                    Code.MALFORMED_MESSAGE,
                    () -> reader.run(
                            (lsn, buffer, offset, length) -> decoder.decode(buffer, offset, length - 1, handler),
                            () -> 0,
                            () -> false,
                            () -> true));
        }
    }

    @Test
    void aPoolerThatRefusesReplication() throws Exception {
        try (ServerSocket pooler = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> refuse(pooler), "pooler under test");
            thread.setDaemon(true);
            thread.start();
            Endpoint endpoint = Endpoint.of(
                    "jdbc:postgresql://localhost:" + pooler.getLocalPort() + "/app?user=app&sslmode=disable");
            expect(Code.POOLER, () -> ReplicationConnection.open(endpoint));
        }
    }

    /** Answers any startup as PgBouncer does that does not know the parameter. */
    private static void refuse(ServerSocket pooler) {
        byte[] fields =
                "SFATAL\0C08P01\0Munsupported startup parameter: replication\0\0".getBytes(StandardCharsets.UTF_8);
        try (Socket socket = pooler.accept();
                OutputStream out = socket.getOutputStream()) {
            int length = ByteBuffer.wrap(socket.getInputStream().readNBytes(Integer.BYTES))
                    .getInt();
            socket.getInputStream().readNBytes(length - Integer.BYTES);
            out.write(ByteBuffer.allocate(1 + Integer.BYTES + fields.length)
                    .put((byte) 'E')
                    .putInt(Integer.BYTES + fields.length)
                    .put(fields)
                    .array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void parametersOfTheUrlDoNotUndoWhatReplicationNeeds() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            Endpoint endpoint = Endpoint.of(fixture.database.url()
                    + "&socketTimeout=1&preferQueryMode=extended&ApplicationName=other&tcpKeepAlive=false");
            try (RunningReader running = RunningReader.start(endpoint, fixture.options())) {
                assertThat(query(
                                fixture,
                                "select application_name from pg_stat_replication where pid = "
                                        + fixture.state().activePid()))
                        .isEqualTo("walmerge slot");
                running.stop();
            }
            assertThat(endpoint.toString()).doesNotContain("postgres");
        }
    }

    private static void execute(SlotFixture fixture, String... statements) throws SQLException {
        try (Connection connection = fixture.database.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static String query(SlotFixture fixture, String sql) throws SQLException {
        try (Connection connection = fixture.database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
