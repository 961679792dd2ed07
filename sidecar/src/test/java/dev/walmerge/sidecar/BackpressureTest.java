package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.engine.EngineStats;
import dev.walmerge.engine.journal.JournalState;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.embedded.ServerNode;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More work than memory and journal may take: what stops, and that nothing is lost by it. */
final class BackpressureTest {
    private static final long MEBIBYTE = 1 << 20;
    private static final long MEMORY_BYTES = 16 * MEBIBYTE;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** Documents stay small, so that they fit again once what came for them is written. */
    private static final int PIECES = 20;

    private static final int REPEATS = 25;
    /** Longer than a write-back transaction waits for a lock. */
    private static final Duration BLOCKED = Duration.ofSeconds(4);

    @TempDir
    Path folder;

    private ServerNode server;
    private App app;

    @BeforeEach
    void startServer() throws Exception {
        server = ServerNode.start(folder.resolve("server"));
        server.execute("alter system set wal_sender_timeout = '10s'");
        server.execute("select pg_reload_conf()");
        app = new App(server.url());
    }

    @AfterEach
    void stopServer() throws IOException {
        server.close();
    }

    @Test
    void readingStopsWhileNothingCanBeWrittenAndGoesOnAfterwards() throws Exception {
        Typing typing = pieces(PIECES, 300);
        try (Sidecar sidecar = start(Map.of(Setting.JOURNAL_MAX, "16MiB"));
                Most resident = new Most(sidecar)) {
            String reader = "select active_pid from pg_replication_slots";
            String pid = app.one(reader);
            try (Connection blocker = app.connect();
                    Statement statement = blocker.createStatement()) {
                blocker.setAutoCommit(false);
                statement.execute("select from crdt.progress for update");
                insert(300, REPEATS);
                AtomicLong ops = new AtomicLong();
                await().during(BLOCKED).atMost(PATIENCE).until(() -> {
                    EngineStats stats = sidecar.stats();
                    return ops.getAndSet(stats.ops()) == stats.ops() && stats.journalState() == JournalState.FULL;
                });
                assertThat(sidecar.stats().journalBytes()).isLessThan(20 * MEBIBYTE);
                assertThat(app.one(reader)).as("the session that reads").isEqualTo(pid);
                blocker.rollback();
            }
            app.sync();
            assertThat(app.one(reader)).as("the session that reads").isEqualTo(pid);
            assertThat(resident.bytes()).isBetween(MEMORY_BYTES / 2, MEMORY_BYTES + MEBIBYTE);
            assertAre(300, PIECES * REPEATS, typing);
        }
    }

    @Test
    void documentsThatDoNotFitAreEvictedAndLoadedAgain() throws Exception {
        Typing typing = pieces(3, 1700);
        try (Sidecar sidecar = start(Map.of());
                Most resident = new Most(sidecar)) {
            insert(4_500, 1);
            app.sync();
            EngineStats stats = sidecar.stats();
            assertThat(resident.bytes()).isBetween(MEMORY_BYTES / 2, MEMORY_BYTES + MEBIBYTE);
            assertThat(stats.residentDocuments()).isLessThan(4_500);
            assertAre(4_500, 3, typing);
        }
    }

    private void assertAre(int documents, int ops, Typing typing) throws Exception {
        assertThat(app.query("select distinct md5(body_text) || op_count from crdt.docs"))
                .isEqualTo(app.query("select md5('" + typing.text() + "') || " + ops));
        assertThat(app.one("select count(*) from crdt.docs")).isEqualTo(Integer.toString(documents));
        assertThat(app.one("select count(*) from crdt.held")).isEqualTo("0");
    }

    /** What each document gets, in the table {@code piece}. */
    private Typing pieces(int count, int length) throws Exception {
        Typing typing = new Typing();
        app.execute("create table piece (seq serial, payload bytea)");
        try (Connection connection = app.connect();
                PreparedStatement insert = connection.prepareStatement("insert into piece (payload) values (?)")) {
            for (int i = 0; i < count; i++) {
                insert.setBytes(
                        1,
                        typing.append(
                                1 + i % 3,
                                Integer.toString(i, 36).repeat(length).substring(0, length)));
                insert.addBatch();
            }
            insert.executeBatch();
        }
        return typing;
    }

    /** All documents in turn, a piece each; all of that so many times, of which the later ones change nothing. */
    private void insert(int documents, int times) throws Exception {
        app.execute("do $$ declare piece bytea; begin"
                + " for piece in select payload from piece, generate_series(1, " + times + ") t order by t, seq loop"
                + " insert into crdt.ops (doc, update) select 'd' || d, piece from generate_series(1, " + documents
                + ") d; commit; end loop; end $$");
    }

    private Sidecar start(Map<Setting, String> more) throws Exception {
        Map<Setting, String> flags = new EnumMap<>(Setting.class);
        flags.put(Setting.URL, app.url());
        flags.put(Setting.STATE_DIRECTORY, folder.resolve("state").toString());
        flags.put(Setting.MEMORY, Long.toString(MEMORY_BYTES));
        flags.putAll(more);
        return Sidecar.start(ConfigLoader.load(flags, Map.of(), null));
    }

    /** Looks again and again at how much the resident documents take. */
    private static final class Most implements AutoCloseable {
        private static final long LOOK_NANOS = 1_000_000;

        private final AtomicBoolean closed = new AtomicBoolean();
        private final AtomicLong bytes = new AtomicLong();
        private final Thread thread;

        Most(Sidecar sidecar) {
            thread = new Thread(() -> {
                while (!closed.get()) {
                    EngineStats stats = sidecar.stats();
                    if (stats != null) {
                        bytes.accumulateAndGet(stats.residentBytes(), Math::max);
                    }
                    LockSupport.parkNanos(LOOK_NANOS);
                }
            });
            thread.start();
        }

        long bytes() {
            return bytes.get();
        }

        @Override
        public void close() {
            closed.set(true);
            thread.interrupt();
        }
    }
}
