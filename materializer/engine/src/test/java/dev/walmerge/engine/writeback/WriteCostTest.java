package dev.walmerge.engine.writeback;

import static dev.walmerge.engine.testing.Rows.one;
import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a write-back costs the server, in bytes of WAL. The bounds are wide; the log has the figures. */
final class WriteCostTest {
    private static final Logger LOG = LoggerFactory.getLogger(WriteCostTest.class);
    private static final int REPEATS = 3;
    private static final int ROUNDS = 20;

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final Random random = new Random(42);
    private long lsn = 0x10;

    @Test
    void aRowWhoseTextDidNotChangeIsCheap() throws Exception {
        Lease lease;
        try (Connection connection = database.connect()) {
            lease = TakeOver.takeOver(connection, "walmerge", "7", 1);
        }
        try (WriteBack writeBack = new WriteBack(database::connect, lease, 2_000)) {
            StringBuilder text = new StringBuilder();
            while (text.length() < 5_000) {
                text.append(Integer.toString(random.nextInt(2_000), 36)).append(' ');
            }
            commit(writeBack, Writes.of("a", lsn).text(text.toString()).fold(new byte[6_000]));

            long changed = measure(() -> {
                text.setCharAt(random.nextInt(text.length()), 'x');
                commit(
                        writeBack,
                        Writes.of("a", lsn)
                                .text(text.toString())
                                .tail(random.ints(40, 0, 256).toArray()));
            });
            long unchanged = measure(() -> commit(
                    writeBack,
                    Writes.of("a", lsn)
                            .unchanged(text.toString(), null)
                            .tail(random.ints(40, 0, 256).toArray())));
            byte[] state = new byte[6_000];
            random.nextBytes(state);
            long folded = measure(() -> commit(
                    writeBack,
                    Writes.of("a", lsn).unchanged(text.toString(), null).fold(state)));
            LOG.warn(
                    "WAL of a write-back of a 5 kB document: text changed {} B, unchanged {} B, folded {} B",
                    changed,
                    unchanged,
                    folded);
            assertThat(changed).isLessThan(40_000);
            assertThat(unchanged).isLessThan(2_500);
        }
    }

    @Test
    void aBatchOfDocuments() throws Exception {
        Lease lease;
        try (Connection connection = database.connect()) {
            lease = TakeOver.takeOver(connection, "walmerge", "7", 1);
        }
        try (WriteBack writeBack = new WriteBack(database::connect, lease, 2_000)) {
            List<Writes> fresh = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                fresh.add(Writes.of("d" + i, lsn).text("text " + i).fold(new byte[200]));
            }
            long start = System.nanoTime();
            commit(writeBack, fresh.toArray(new Writes[0]));
            long inserted = System.nanoTime();
            List<Writes> again = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                again.add(Writes.of("d" + i, lsn).text("other " + i).tail(1, 2, 3));
            }
            long prepared = System.nanoTime();
            commit(writeBack, again.toArray(new Writes[0]));
            LOG.warn(
                    "1000 documents a transaction: new {} us each, then {} us each",
                    (inserted - start) / 1_000_000,
                    (System.nanoTime() - prepared) / 1_000_000);
        }
        assertThat(one(database, "select count(*) from crdt.docs where body_text like 'other %' and version = 2"))
                .isEqualTo("1000");
    }

    private void commit(WriteBack writeBack, Writes... writes) throws Exception {
        List<DocumentWrite> built = new ArrayList<>();
        for (Writes write : writes) {
            built.add(write.build());
        }
        writeBack.commit(built, List.of(), lsn++);
    }

    /** The WAL of one round, in bytes. Nobody else writes to the server meanwhile. */
    /** The least of several: a checkpoint, an autovacuum or a neighbour of this server adds to some, never takes from one. */
    private long measure(Round round) throws Exception {
        long least = Long.MAX_VALUE;
        round.run();
        for (int i = 0; i < REPEATS; i++) {
            String before = insertLsn();
            for (int n = 0; n < ROUNDS; n++) {
                round.run();
            }
            String difference = one(database, "select ('" + insertLsn() + "'::pg_lsn - '" + before + "')::bigint");
            least = Math.min(least, Long.parseLong(difference) / ROUNDS);
        }
        return least;
    }

    private String insertLsn() throws SQLException {
        return one(database, "select pg_current_wal_insert_lsn()");
    }

    @FunctionalInterface
    private interface Round {
        void run() throws Exception;
    }
}
