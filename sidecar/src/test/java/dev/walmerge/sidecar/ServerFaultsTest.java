package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sidecar.embedded.ServerNode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The server or the connections to it fail while ops come in; then every text is what was typed. More cuts:
 * {@code mvn -pl sidecar test -Dtest=ServerFaultsTest -Dwalmerge.cuts=200}.
 */
final class ServerFaultsTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);
    private static final int CUTS = Integer.getInteger("walmerge.cuts", 10);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final long TYPING_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final String SLOT = "s";

    @TempDir
    Path folder;

    private final Random random = new Random(SEED);
    private final List<Writer> writers = new ArrayList<>();
    private final List<Future<?>> running = new ArrayList<>();
    private final Typing largeTyping = new Typing();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private ServerNode server;
    private Relay relay;
    private App app;
    private Sidecar sidecar;

    @BeforeEach
    void startServer() throws Exception {
        System.out.println("ServerFaultsTest: -Dwalmerge.seed=" + SEED);
        server = ServerNode.start(folder.resolve("server"));
        relay = new Relay(server.port());
        app = new App(server.url());
    }

    @AfterEach
    void close() throws Exception {
        writers.forEach(writer -> writer.stopping = true);
        threads.shutdownNow();
        if (sidecar != null) {
            sidecar.close();
        }
        relay.close();
        server.close();
    }

    @Test
    void stoppedCrashedAndKilled() throws Exception {
        start(app);
        write(2);
        long slowestStopMillis = 0;
        for (int round = 0; round < 2; round++) {
            awaitMoreOps(40);
            long startNanos = System.nanoTime();
            server.stop("fast");
            slowestStopMillis =
                    Math.max(slowestStopMillis, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos));
            server.start();
            awaitMoreOps(40);
            server.stop("immediate");
            server.start();
            awaitMoreOps(40);
            server.kill();
            server.start();
        }
        awaitMoreOps(40);
        System.out.println("ServerFaultsTest: slowest fast stop " + slowestStopMillis + " ms");
        assertEveryTextIsWhatWasTyped();
    }

    @Test
    void sessionsAreEndedAtRandom() throws Exception {
        start(app);
        write(2);
        for (int i = 0; i < 12; i++) {
            awaitMoreOps(15);
            app.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'walmerge %'"
                            + " order by md5(application_name || '" + random.nextInt() + "') limit " + (1 + i % 2));
        }
        awaitMoreOps(15);
        assertEveryTextIsWhatWasTyped();
    }

    /** At each step: login, take-over, making the slot, reading the tables, streaming, inside messages and transactions. */
    @Test
    void connectionsAreCutAfterSomeMessage() throws Exception {
        write(2);
        int done = 0;
        for (int i = 0; i < CUTS; i++) {
            boolean fresh = i % 2 == 0;
            boolean streamOnly = i % 3 == 2;
            int messages = streamOnly ? random.nextInt(60) : random.nextInt(220);
            int bytes = random.nextInt(12);
            if (fresh && sidecar != null) {
                sidecar.close();
                sidecar = null;
                if (i % 4 == 0) {
                    dropSlot();
                }
            }
            int before = relay.cuts();
            relay.cutAfter(messages, bytes, streamOnly);
            if (sidecar == null) {
                start(new App(relay.url()));
            }
            awaitMoreOps(20);
            // Some messages more than there would be without a load.
            app.insert("large", large(i));
            Awaitility.await().atMost(PATIENCE).until(() -> app.one("select slot from crdt.progress") != null);
            app.sync();
            relay.disarm();
            done += relay.cuts() - before;
        }
        System.out.println("ServerFaultsTest: " + done + " of " + CUTS + " cuts came to pass");
        assertThat(done).isGreaterThan(CUTS / 2);
        assertEveryTextIsWhatWasTyped();
        assertThat(app.text("large")).hasSize(CUTS * 20_000);
    }

    private byte[] large(int i) {
        return largeTyping.append(1, String.valueOf((char) ('a' + i % 26)).repeat(20_000));
    }

    private void dropSlot() {
        Awaitility.await().atMost(PATIENCE).until(() -> {
            app.execute("select pg_terminate_backend(active_pid) from pg_replication_slots where active_pid > 0");
            try {
                app.execute("select pg_drop_replication_slot(slot_name) from pg_replication_slots");
                return true;
            } catch (SQLException e) {
                return false;
            }
        });
    }

    private void start(App through) throws Exception {
        sidecar = through.sidecar(SLOT, folder.resolve("state"));
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            Writer writer = new Writer("doc" + i);
            writers.add(writer);
            running.add(threads.submit(writer));
        }
    }

    private void awaitMoreOps(int count) {
        long goal = typedCount() + count;
        Awaitility.await().atMost(PATIENCE).until(() -> typedCount() >= goal);
    }

    private long typedCount() {
        return writers.stream().mapToLong(writer -> writer.count.get()).sum();
    }

    private void assertEveryTextIsWhatWasTyped() throws Exception {
        writers.forEach(writer -> writer.stopping = true);
        for (Future<?> writer : running) {
            writer.get(1, TimeUnit.MINUTES);
        }
        app.sync();
        for (Writer writer : writers) {
            assertThat(app.text(writer.doc)).as(writer.doc).isEqualTo(writer.typing.text());
        }
        assertThat(app.query("select rule from crdt.dead_letter")).isEmpty();
        app.assertDocumentsAreTheOps();
    }

    /** Types until it is stopped. What it does not know to be committed it sends again. */
    private final class Writer implements Runnable {
        private final String doc;
        private final Typing typing = new Typing();
        private volatile boolean stopping;
        private final AtomicLong count = new AtomicLong();

        Writer(String doc) {
            this.doc = doc;
        }

        @Override
        public void run() {
            byte[] next = next();
            while (next != null) {
                try (Connection connection = app.connect();
                        PreparedStatement insert =
                                connection.prepareStatement("insert into crdt.ops (doc, update) values (?, ?)")) {
                    while (next != null) {
                        insert.setString(1, doc);
                        insert.setBytes(2, next);
                        insert.executeUpdate();
                        count.incrementAndGet();
                        next = next();
                        LockSupport.parkNanos(TYPING_PARK_NANOS);
                    }
                } catch (SQLException e) {
                    LockSupport.parkNanos(TYPING_PARK_NANOS);
                }
            }
        }

        private byte[] next() {
            return stopping ? null : typing.append(1 + (int) (count.get() % 3), "w" + count + " ");
        }
    }
}
