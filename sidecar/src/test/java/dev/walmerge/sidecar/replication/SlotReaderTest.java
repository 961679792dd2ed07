package dev.walmerge.sidecar.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.replication.ReplicationException.Code;
import dev.walmerge.sql.testing.PostgresServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class SlotReaderTest {
    @Test
    void aRestartGoesOnFromWhatWasConfirmed() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            fixture.insert("a");
            fixture.insert("b");
            try (RunningReader first = RunningReader.start(fixture.endpoint, fixture.options())) {
                await().until(() -> first.recorder.docs().size() == 2);
                await().until(() -> fixture.state().confirmedFlushLsn() >= first.recorder.lastCommitEndLsn());
                // What comes from now on is received, and never durable.
                first.durable = false;
                fixture.insert("c");
                fixture.insert("d");
                await().until(() -> first.recorder.docs().size() == 4);
                first.stop();
            }
            try (RunningReader second = RunningReader.start(fixture.endpoint, fixture.options())) {
                await().until(() -> second.recorder.docs().size() == 2);
                assertThat(second.recorder.docs()).containsExactly("c", "d");
                second.stop();
            }
            await().until(() -> !fixture.state().active());
        }
    }

    @Test
    void theLastStatusIsSentWhenItStops() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            SlotReaderOptions rare = new SlotReaderOptions(
                    fixture.slot,
                    SlotFixture.PUBLICATION,
                    0,
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(90),
                    Duration.ofSeconds(5));
            try (RunningReader running = RunningReader.start(fixture.endpoint, rare)) {
                fixture.insert("a");
                await().until(() -> running.recorder.docs().size() == 1);
                running.stop();
                long end = running.recorder.lastCommitEndLsn();
                await().until(() -> fixture.state().confirmedFlushLsn() >= end);
            }
        }
    }

    @Test
    void theServerHearsOfItSoonAfterAMessageThoughNothingIsDurable() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            SlotReaderOptions rare = new SlotReaderOptions(
                    fixture.slot,
                    SlotFixture.PUBLICATION,
                    0,
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(90),
                    Duration.ofSeconds(5));
            try (RunningReader running = RunningReader.start(fixture.endpoint, rare);
                    Connection connection = fixture.database.connect();
                    Statement statement = connection.createStatement()) {
                running.durable = false;
                fixture.insert("a");
                await().until(() -> !running.recorder.docs().isEmpty());
                statement.execute("create temp table began as select clock_timestamp() as at");
                fixture.insert("b");
                // A sender that missed the flush of a further commit would otherwise sleep for the 15 s.
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> isTrue(
                                statement,
                                "select s.reply_time > began.at from began, pg_stat_replication s"
                                        + " join pg_replication_slots r on r.active_pid = s.pid where r.slot_name = '"
                                        + fixture.slot + "'"));
                running.stop();
            }
        }
    }

    private static boolean isTrue(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            return row.next() && row.getBoolean(1);
        }
    }

    @Test
    void aStartPositionSkipsWhatCommittedBefore() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            fixture.insert("a");
            long endOfA;
            try (RunningReader first = RunningReader.start(fixture.endpoint, fixture.options())) {
                first.durable = false;
                await().until(() -> first.recorder.docs().size() == 1);
                endOfA = first.recorder.lastCommitEndLsn();
                first.stop();
            }
            fixture.insert("b");
            SlotReaderOptions afterA = SlotReaderOptions.of(fixture.slot, SlotFixture.PUBLICATION, endOfA);
            try (RunningReader second = RunningReader.start(fixture.endpoint, afterA)) {
                await().until(() -> !second.recorder.docs().isEmpty());
                assertThat(second.recorder.docs()).containsExactly("b");
                second.stop();
            }
        }
    }

    @Test
    void anIdleSlotAdvancesWhileOtherTablesAreWritten() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            try (RunningReader running = RunningReader.start(fixture.endpoint, fixture.options())) {
                fixture.database.execute("create table other as select generate_series(1, 1000)");
                long written = currentLsn(fixture);
                await().until(() -> fixture.state().confirmedFlushLsn() >= written);
                assertThat(running.recorder.commits()).isZero();
                running.stop();
            }
        }
    }

    @Test
    void confirmingOnAnIdleServerWritesNoWal() throws Exception {
        // A server of its own: with the databases of all tests, autovacuum always finds something to write.
        PostgresServer server = PostgresServer.start();
        EmbeddedPostgres process = server.process();
        try (SlotFixture fixture = new SlotFixture(server)) {
            fixture.createSlot();
            SlotReaderOptions eager = new SlotReaderOptions(
                    fixture.slot,
                    SlotFixture.PUBLICATION,
                    0,
                    Duration.ofMillis(5),
                    Duration.ofSeconds(90),
                    Duration.ofSeconds(5));
            try (RunningReader running = RunningReader.start(fixture.endpoint, eager)) {
                fixture.insert("a");
                await().until(() -> fixture.state().confirmedFlushLsn() >= currentLsn(fixture));
                // Other databases of this server are vacuumed and dropped meanwhile, so not every window is quiet; but
                // WAL
                // that each status causes would be in all of them.
                await().atMost(Duration.ofMinutes(1)).until(() -> {
                    long before = currentLsn(fixture);
                    Instant windowEnd = Instant.now().plusSeconds(2);
                    await().until(() -> heardAfter(fixture, windowEnd));
                    return currentLsn(fixture) - before < 500;
                });
                running.stop();
            }
        } finally {
            process.close();
        }
    }

    @Test
    void whatIsNotDurableHoldsTheSlotBack() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            try (RunningReader running = RunningReader.start(fixture.endpoint, fixture.options())) {
                running.durable = false;
                fixture.insert("a");
                await().until(() -> running.recorder.docs().size() == 1);
                fixture.database.execute("create table other as select generate_series(1, 1000)");
                long written = currentLsn(fixture);
                await().until(() -> Long.compareUnsigned(running.reader.receivedLsn(), written) >= 0);
                assertThat(fixture.state().confirmedFlushLsn()).isLessThan(running.recorder.lastCommitEndLsn());
                running.durable = true;
                await().until(() -> fixture.state().confirmedFlushLsn() >= written);
                running.stop();
            }
        }
    }

    @Test
    void itOutlivesBackpressureLongerThanTheServersTimeout() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            fixture.database.execute("alter database " + fixture.database.name() + " set wal_sender_timeout = '1s'");
            try (RunningReader running = RunningReader.start(fixture.endpoint, fixture.options())) {
                running.hasRoom = false;
                // More than the buffers of the socket hold.
                fixture.database.execute("insert into crdt.ops (doc, update)"
                        + " select 'd', decode(repeat('00', 1000), 'hex') from generate_series(1, 20000)");
                await().until(() -> heardFor(fixture, "3.5s"));
                assertThat(running.ended()).isNotDone();
                assertThat(running.recorder.rows()).isZero();
                running.hasRoom = true;
                await().until(() -> running.recorder.commits() == 1);
                assertThat(running.recorder.rows()).isEqualTo(20_000);
                running.stop();
            }
        }
    }

    /** The server decodes for longer than its timeout, and has nothing to send. */
    @Test
    void itOutlivesLongWorkOnOtherTables() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            fixture.database.execute("create table other (filler text)");
            fixture.database.execute("alter database " + fixture.database.name() + " set wal_sender_timeout = '1s'");
            fixture.database.execute("insert into other select n from generate_series(1, 1000000) n");
            fixture.insert("a");
            long begun = System.nanoTime();
            try (RunningReader running = RunningReader.start(fixture.endpoint, fixture.options())) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> !running.recorder.docs().isEmpty()
                                || running.ended().isDone());
                assertThat(running.ended()).isNotDone();
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(1));
                running.stop();
            }
        }
    }

    @Test
    void aLargeTransactionStreams() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            fixture.database.execute(
                    "insert into crdt.ops (doc, update) select 'd' || n, '\\x0000' from generate_series(1, 200000) n");
            StreamRecorder recorder = new StreamRecorder().countingOnly();
            try (RunningReader running = RunningReader.start(fixture.endpoint, fixture.options(), recorder)) {
                await().atMost(Duration.ofSeconds(40)).until(() -> recorder.commits() == 1);
                assertThat(recorder.rows()).isEqualTo(200_000);
                running.stop();
            }
        }
    }

    @Test
    void itStopsInsideATransaction() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            fixture.database.execute(
                    "insert into crdt.ops (doc, update) select 'd' || n, '\\x0000' from generate_series(1, 200000) n");
            StreamRecorder recorder = new StreamRecorder().countingOnly();
            try (RunningReader running = RunningReader.start(fixture.endpoint, fixture.options(), recorder)) {
                await().pollInterval(Duration.ofMillis(1)).until(() -> recorder.rows() > 0);
                running.hasRoom = false;
                assertThat(recorder.insideTransaction()).isTrue();
                long startNanos = System.nanoTime();
                running.stop();
                assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.MILLISECONDS.toNanos(700));
            }
            await().until(() -> !fixture.state().active());
        }
    }

    @Test
    void aSecondReaderIsRefused() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            try (RunningReader first = RunningReader.start(fixture.endpoint, fixture.options())) {
                SlotReaderOptions impatient = fixture.options(Duration.ofSeconds(90), Duration.ZERO);
                expect(Code.SLOT_IN_USE, () -> RunningReader.start(fixture.endpoint, impatient));
                first.stop();
            }
        }
    }

    @Test
    void aPatientReaderTakesOverWhenTheFirstLetsGo() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            RunningReader first = RunningReader.start(fixture.endpoint, fixture.options());
            first.close();
            try (RunningReader second = RunningReader.start(fixture.endpoint, fixture.options())) {
                fixture.insert("a");
                await().until(() -> second.recorder.docs().size() == 1);
                second.stop();
            }
        }
    }

    @Test
    void aSessionTheServerEndsIsALostConnection() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            try (RunningReader running = RunningReader.start(fixture.endpoint, fixture.options())) {
                fixture.database.execute(
                        "select pg_terminate_backend(" + fixture.state().activePid() + ")");
                assertEnded(running, Code.CONNECTION_LOST);
            }
        }
    }

    @Test
    void aConsumerThatThrowsEndsTheStream() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            fixture.insert("a");
            SlotReader reader = SlotReader.start(ReplicationConnection.open(fixture.endpoint), fixture.options());
            Assertions.assertThatIllegalStateException()
                    .isThrownBy(() -> reader.run(
                            (lsn, buffer, offset, length) -> {
                                throw new IllegalStateException("full");
                            },
                            () -> 0,
                            () -> false,
                            () -> true));
            await().until(() -> !fixture.state().active());
        }
    }

    @Test
    void anLsnThatWasNeverReceivedIsNotConfirmed() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.createSlot();
            SlotReader reader = SlotReader.start(ReplicationConnection.open(fixture.endpoint), fixture.options());
            Thread thread = new Thread(() -> {
                try {
                    reader.run((lsn, buffer, offset, length) -> {}, () -> -1, () -> false, () -> true);
                } catch (ReplicationException e) {
                    throw new AssertionError(e);
                }
            });
            thread.start();
            fixture.insert("a");
            long written = currentLsn(fixture);
            await().until(() -> {
                long confirmed = reader.confirmedLsn();
                return Long.compareUnsigned(confirmed, written) >= 0
                        && Long.compareUnsigned(confirmed, currentLsn(fixture)) <= 0;
            });
            reader.stop();
            thread.join(2_000);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    static void assertEnded(RunningReader running, Code code) throws Exception {
        try {
            running.ended().get(20, TimeUnit.SECONDS);
            Assertions.fail("it ended without an error");
        } catch (ExecutionException e) {
            assertThat(((ReplicationException) e.getCause()).code()).isEqualTo(code);
        }
    }

    static void expect(Code code, ThrowingCallable call) {
        assertThatExceptionOfType(ReplicationException.class)
                .isThrownBy(call)
                .matches(e -> e.code() == code, code.label());
    }

    /** Whether the server had answers for so long since the reader connected. */
    private static boolean heardFor(SlotFixture fixture, String interval) throws Exception {
        try (Connection connection = fixture.database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        select r.reply_time > r.backend_start + interval '%s'
                        from pg_stat_replication r join pg_replication_slots s on s.active_pid = r.pid
                        where s.slot_name = '%s'
                        """.formatted(interval, fixture.slot))) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static boolean heardAfter(SlotFixture fixture, Instant time) throws Exception {
        try (Connection connection = fixture.database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        select r.reply_time > '%s'::timestamptz
                        from pg_stat_replication r join pg_replication_slots s on s.active_pid = r.pid
                        where s.slot_name = '%s'
                        """.formatted(time, fixture.slot))) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static long currentLsn(SlotFixture fixture) throws Exception {
        try (Connection connection = fixture.database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_current_wal_flush_lsn() - '0/0'")) {
            row.next();
            return row.getBigDecimal(1).longValueExact();
        }
    }
}
