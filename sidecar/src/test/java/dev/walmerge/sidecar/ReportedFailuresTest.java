package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.replication.SlotFixture;
import dev.walmerge.sql.testing.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Durations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users of similar systems reported, on the whole sidecar; README.md says where the others of that kind are shown. */
final class ReportedFailuresTest {
    private static final int WRITERS = 4;
    private static final int OPS_BEFORE = 50;

    @TempDir
    Path state;

    private PostgresServer.Database database;
    private App app;
    private Sidecar sidecar;

    @BeforeEach
    void createDatabase() {
        database = PostgresServer.shared().createInstalledDatabase();
        app = new App(database.url());
    }

    @AfterEach
    void close() throws Exception {
        if (sidecar != null) {
            sidecar.close();
        }
        SlotFixture.drop(database, slot());
    }

    /** The log is published, has no key, and loses its rows: what was in them is in the documents, also after a lost slot. */
    @Test
    void anOpLogWithoutAKeyIsTrimmed() throws Exception {
        app.execute("select crdt.alter_collection(rotate_after => '1 s')");
        start();
        Typing typing = new Typing();
        for (int i = 0; i < 20; i++) {
            app.insert("post", typing.append(1 + i % 3, "early "));
        }
        assertThat(app.one("select count(*) from pg_index where indrelid = 'crdt.ops'::regclass"))
                .isEqualTo("0");
        app.sync();
        await().atMost(Durations.TWO_MINUTES)
                .until(() -> app.one("select count(*) from crdt.ops").equals("0"));
        app.insert("post", typing.append(1, "late "));
        app.sync();
        assertThat(app.text("post")).isEqualTo(typing.text());
        assertThat(app.one("select op_count from crdt.docs")).isEqualTo("21");

        sidecar.close();
        SlotFixture.drop(database, slot());
        app.insert("post", typing.append(2, "later "));
        start();
        app.sync();
        assertThat(app.text("post")).isEqualTo(typing.text());
    }

    /** Apps never stop: each row is merged once, whether the backfill or the slot had it. */
    @Test
    void appsGoOnDuringTheFirstStart() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        AtomicBoolean ending = new AtomicBoolean();
        Semaphore begun = new Semaphore(0);
        Typing[] typings = new Typing[WRITERS];
        List<Future<Integer>> writers = new ArrayList<>();
        try {
            for (int i = 0; i < WRITERS; i++) {
                typings[i] = new Typing();
                writers.add(threads.submit(writer("w" + i, typings[i], begun, ending)));
            }
            begun.acquire(WRITERS);
            start();
            // Some of it from the slot.
            await().until(() -> app.query("select doc from crdt.docs where op_count > " + OPS_BEFORE)
                            .size()
                    == WRITERS);
            ending.set(true);
            for (int i = 0; i < WRITERS; i++) {
                int written = writers.get(i).get();
                app.sync();
                assertThat(app.one("select op_count from crdt.docs where doc = 'w" + i + "'"))
                        .isEqualTo(Integer.toString(written));
                assertThat(app.text("w" + i)).isEqualTo(typings[i].text());
            }
        } finally {
            ending.set(true);
            threads.shutdownNow();
        }
    }

    private Callable<Integer> writer(String doc, Typing typing, Semaphore begun, AtomicBoolean ending) {
        return () -> {
            int written = 0;
            try (Connection connection = app.connect();
                    PreparedStatement insert =
                            connection.prepareStatement("insert into crdt.ops (doc, update) values (?, ?)")) {
                insert.setString(1, doc);
                for (; !ending.get(); written++) {
                    insert.setBytes(2, typing.append(1, "x"));
                    insert.executeUpdate();
                    if (written == OPS_BEFORE) {
                        begun.release();
                    }
                }
            }
            return written;
        };
    }

    /** Ops are inserts. Whoever may change or delete a row changes what a resync reads, and nothing that is merged. */
    @Test
    void anOpThatIsUpdatedOrDeletedAfterwardsIsMerged() throws Exception {
        start();
        app.execute("alter table crdt.ops alter update set storage external");
        Typing typing = new Typing();
        app.insert("post", typing.append(1, "a large payload ".repeat(640)));
        // The payload lies elsewhere and does not change: an update that is sent would come without it.
        app.execute("update crdt.ops set role = 'someone'");
        app.insert("post", typing.append(2, "and more "));
        app.sync();
        app.execute("delete from crdt.ops where octet_length(update) > 10000");
        app.insert("post", typing.append(1, "and the end"));
        app.sync();
        assertThat(app.text("post")).isEqualTo(typing.text());
        assertThat(app.one("select op_count from crdt.docs")).isEqualTo("3");
        assertThat(app.one("select count(*) from crdt.dead_letter")).isEqualTo("0");
    }

    @Test
    void aRoleWithoutReplicationIsToldTheCure() throws Exception {
        String role = "plain_" + database.name();
        app.execute("create role " + role + " login in role crdt_sidecar");
        App plain = new App(database.url().replace("user=postgres", "user=" + role));
        assertThat(plain.url()).contains(role);
        assertThatThrownBy(() -> plain.sidecar(slot(), state)).isInstanceOfSatisfying(OperatingException.class, e -> {
            assertThat(e.kind()).isEqualTo(OperatingException.Kind.OPERATOR);
            assertThat(e.report()).contains("alter role").contains("replication");
        });
        assertThat(app.one("select count(*) from crdt.progress")).isEqualTo("0");
        app.execute("drop role " + role);
    }

    /** Whoever waits though nothing was written has nothing to wait for, however long the database was quiet. */
    @Test
    void aWaitAfterANoOpReturnsAtOnce() throws Exception {
        start();
        app.insert("post", new Typing().append(1, "hello"));
        app.sync();
        try (Connection connection = app.connect();
                PreparedStatement barrier = connection.prepareStatement("call crdt.sync('60 s', ?)")) {
            long leastNanos = Long.MAX_VALUE;
            for (String doc : new String[] {"post", null, "never written", "post", null}) {
                try (PreparedStatement nothing = connection.prepareStatement(
                        "insert into crdt.ops (doc, update) select 'post', '\\x0000' where false")) {
                    assertThat(nothing.executeUpdate()).isZero();
                }
                barrier.setString(1, doc);
                long begun = System.nanoTime();
                barrier.execute();
                leastNanos = Math.min(leastNanos, System.nanoTime() - begun);
            }
            assertThat(leastNanos / 1_000_000).as("milliseconds").isLessThan(500);
        }
        assertThat(app.one("select op_count from crdt.docs")).isEqualTo("1");
    }

    private void start() throws Exception {
        sidecar = app.sidecar(slot(), state);
    }

    private String slot() {
        return "slot_" + database.name();
    }
}
