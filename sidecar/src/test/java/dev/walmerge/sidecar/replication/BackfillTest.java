package dev.walmerge.sidecar.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class BackfillTest {
    private static final int WRITERS = 4;
    private static final int ROWS_PER_WRITER = 300;

    @Test
    void withTheStreamItGivesEachRowOnceWhileWritersGoOn() throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try (SlotFixture fixture = new SlotFixture()) {
            CountDownLatch half = new CountDownLatch(WRITERS);
            List<Future<?>> writing = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                String prefix = "w" + writer + "-";
                writing.add(writers.submit(() -> write(fixture, prefix, half)));
            }
            half.await();
            List<String> docs = new ArrayList<>();
            ReplicationConnection connection = ReplicationConnection.open(fixture.endpoint);
            CreatedSlot slot = connection.createSlot(fixture.slot);
            SlotReader reader;
            try (Backfill backfill = Backfill.open(fixture.endpoint, slot)) {
                reader = SlotReader.start(connection, fixture.options());
                long rows = backfill.read((id, doc, update, format, op, role) -> {
                    docs.add(doc);
                    reader.keepAlive();
                });
                assertThat(rows).isEqualTo(docs.size()).isEqualTo(backfill.rowCount());
                assertThat(rows).isGreaterThanOrEqualTo((long) WRITERS * ROWS_PER_WRITER / 2);
            }
            for (Future<?> future : writing) {
                future.get();
            }
            try (RunningReader running = new RunningReader(reader, new StreamRecorder())) {
                await().until(() -> docs.size() + running.recorder.docs().size() >= WRITERS * ROWS_PER_WRITER);
                running.stop();
                docs.addAll(running.recorder.docs());
                assertThat(running.recorder.commitLsnsRise()).isTrue();
            }
            List<String> expected = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                for (int row = 0; row < ROWS_PER_WRITER; row++) {
                    expected.add("w" + writer + "-" + row);
                }
            }
            assertThat(docs).containsExactlyInAnyOrderElementsOf(expected);
        } finally {
            writers.shutdownNow();
            assertThat(writers.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** However cheap the server finds workers: a document whose rows come in another order has to wait for the earlier ones. */
    @Test
    void rowsComeInTheOrderOfTheTable() throws Exception {
        try (SlotFixture fixture = new SlotFixture()) {
            fixture.database.execute(
                    "insert into crdt.ops (doc, update) select 'a', '\\x0000' from generate_series(1, 50000)");
            String database = fixture.database.name();
            for (String setting : List.of(
                    "parallel_setup_cost = 0",
                    "parallel_tuple_cost = 0",
                    "min_parallel_table_scan_size = 0",
                    "max_parallel_workers_per_gather = 4")) {
                fixture.database.execute("alter database " + database + " set " + setting);
            }
            CreatedSlot slot;
            try (ReplicationConnection connection = ReplicationConnection.open(fixture.endpoint)) {
                slot = connection.createSlot(fixture.slot);
                List<Long> ids = new ArrayList<>();
                try (Backfill backfill = Backfill.open(fixture.endpoint, slot)) {
                    backfill.read((id, doc, update, format, op, role) -> ids.add(id));
                }
                assertThat(ids).hasSize(50_000).isSorted();
            }
        }
    }

    private static Void write(SlotFixture fixture, String prefix, CountDownLatch half) throws Exception {
        try (Connection connection = fixture.database.connect();
                PreparedStatement insert =
                        connection.prepareStatement("insert into crdt.ops (doc, update) values (?, '\\x0000')")) {
            for (int row = 0; row < ROWS_PER_WRITER; row++) {
                insert.setString(1, prefix + row);
                insert.executeUpdate();
                if (row == ROWS_PER_WRITER / 2) {
                    half.countDown();
                }
            }
        }
        return null;
    }

    @Test
    void valuesComeAsTheyWereInserted() throws Exception {
        try (SlotFixture fixture = new SlotFixture();
                ReplicationConnection connection = ReplicationConnection.open(fixture.endpoint)) {
            fixture.database.execute("""
                    insert into crdt.ops (doc, update, format, role) values ('\u043a\u043b\u044e\u0447', '\\x00ff', 'yjs-v2', 'app');
                    insert into crdt.ops (doc, op, role) values ('', '{"at": 5, "insert": "x"}', 'app');
                    insert into crdt.ops (doc, update, role) values ('c', '\\x', 'app');
                    """);
            try (Backfill backfill = Backfill.open(fixture.endpoint, connection.createSlot(fixture.slot))) {
                List<String> rows = new ArrayList<>();
                backfill.read((id, doc, update, format, op, role) -> rows.add(id + " '" + doc + "' "
                        + (update == null ? null : update.length) + " " + format + " " + op + " " + role));
                assertThat(rows)
                        .containsExactly(
                                "1 '\u043a\u043b\u044e\u0447' 2 yjs-v2 null app",
                                "2 '' null null {\"at\": 5, \"insert\": \"x\"} app",
                                "3 'c' 0 null null app");
            }
        }
    }

    @Test
    void anEmptyTableHasNoRows() throws Exception {
        try (SlotFixture fixture = new SlotFixture();
                ReplicationConnection connection = ReplicationConnection.open(fixture.endpoint);
                Backfill backfill = Backfill.open(fixture.endpoint, connection.createSlot(fixture.slot))) {
            assertThat(backfill.read((id, doc, update, format, op, role) -> {})).isZero();
        }
    }

    /** The ninth generation of ids lies in the first leaf again, in front of the second one. */
    @Test
    void aRingThatWentRoundComesOldestGenerationFirst() throws Exception {
        try (SlotFixture fixture = new SlotFixture();
                ReplicationConnection connection = ReplicationConnection.open(fixture.endpoint)) {
            for (int generation : new int[] {8, 1, 0, 9, 7}) {
                fixture.database.execute(
                        "insert into crdt.ops (id, doc, update) overriding system value values (%d, 'g%d', '\\x0000')"
                                .formatted(((long) generation << 20) + 5, generation));
            }
            try (Backfill backfill = Backfill.open(fixture.endpoint, connection.createSlot(fixture.slot))) {
                List<String> docs = new ArrayList<>();
                backfill.read((id, doc, update, format, op, role) -> docs.add(doc));
                assertThat(docs).containsExactly("g0", "g1", "g7", "g8", "g9");
            }
        }
    }
}
