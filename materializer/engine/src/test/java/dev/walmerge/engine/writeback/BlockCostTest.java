package dev.walmerge.engine.writeback;

import static dev.walmerge.engine.testing.Rows.one;
import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.TextBlock;
import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What blocks cost the server, in bytes of WAL. The bounds are wide; the log has the figures. */
final class BlockCostTest {
    private static final Logger LOG = LoggerFactory.getLogger(BlockCostTest.class);
    private static final int REPEATS = 3;
    private static final int ROUNDS = 20;
    private static final int BLOCKS = 200;
    private static final int UNITS = 200;

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final Random random = new Random(42);
    private final List<String> ids = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private WriteBack writeBack;
    private long lsn = 0x10;

    @BeforeEach
    void open() throws Exception {
        try (Connection connection = database.connect()) {
            writeBack = new WriteBack(database::connect, TakeOver.takeOver(connection, "walmerge", "7", 1), 2_000);
        }
        for (int i = 0; i < BLOCKS; i++) {
            insert(i);
        }
        commit(Writes.of("a", lsn).text("x").blocks(blocks()).fold(new byte[] {1}));
    }

    @AfterEach
    void close() {
        writeBack.close();
    }

    @Test
    void onlyWhatChangedIsPaidFor() throws Exception {
        long nothing = measure(() -> commit(Writes.of("a", lsn).unchanged("x", null)));
        long same =
                measure(() -> commit(Writes.of("a", lsn).unchanged("x", null).blocks(blocks())));
        long text = measure(() -> {
            texts.set(random.nextInt(texts.size()), words());
            commit(Writes.of("a", lsn).unchanged("x", null).blocks(blocks()));
        });
        long moved = measure(() -> {
            // Another first block: all others keep their text and get another place.
            ids.remove(0);
            texts.remove(0);
            insert(ids.size());
            commit(Writes.of("a", lsn).unchanged("x", null).blocks(blocks()));
        });
        LOG.warn(
                "WAL of {} blocks of {} units: none changed {} B, one text {} B, one gone, one new and the others moved {} B",
                BLOCKS,
                UNITS,
                same - nothing,
                text - nothing,
                moved - nothing);
        assertThat(same - nothing).isLessThan(100);
        assertThat(text - nothing).isLessThan(6_000);
        assertThat(moved - nothing).isLessThan(120_000);
        assertThat(one(database, "select count(*) from crdt.blocks")).isEqualTo(Integer.toString(BLOCKS));
    }

    private void insert(int at) {
        ids.add(at, "id-" + lsn++);
        texts.add(at, words());
    }

    private String words() {
        StringBuilder text = new StringBuilder();
        while (text.length() < UNITS) {
            text.append(Integer.toString(random.nextInt(2_000), 36)).append(' ');
        }
        return text.toString();
    }

    private TextBlock[] blocks() {
        TextBlock[] blocks = new TextBlock[ids.size()];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = new TextBlock(ids.get(i), "paragraph", "default/paragraph[" + i + "]", texts.get(i));
        }
        return blocks;
    }

    private void commit(Writes write) throws Exception {
        writeBack.commit(List.of(write.build()), List.of(), lsn++);
    }

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
