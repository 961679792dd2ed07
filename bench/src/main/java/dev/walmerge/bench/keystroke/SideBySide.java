package dev.walmerge.bench.keystroke;

import dev.walmerge.bench.measure.Latencies;
import dev.walmerge.bench.measure.Lsn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * One edit as an op INSERT, beside the same edit as a plain UPDATE of a text column, without and with a GIN index for
 * search: interleaved on one connection, one transaction an edit. The README gives the method.
 *
 * <p>The UPDATE changes one character at a random place on the server, so the text does not even travel: the comparison
 * favours the plain column.
 */
public final class SideBySide {
    private static final int WARM_UP_ROUNDS = 5;

    private final Connection connection;
    private final String text;
    private final Random random = new Random(7);

    private SideBySide(Connection connection, String text) {
        this.connection = connection;
        this.text = text;
    }

    /**
     * How many of each in how many rounds. WAL is what the server wrote during a burst: keep a burst of ops shorter
     * than a flush of the sidecar if one is running.
     */
    public record Plan(int rounds, int opsPerRound, int updatesPerRound) {}

    /** What one way of storing an edit costs: the WAL of one edit is the median over the rounds. */
    public record Cost(Latencies latencies, long walBytes) {}

    public record Result(Cost op, Cost plain, Cost plainWithGin) {}

    /** Runs between two bursts, while nothing is measured. */
    @FunctionalInterface
    public interface Pause {
        void run() throws SQLException;
    }

    /**
     * @param doc the document key of the ops
     * @param updates of the ops, used in a circle
     * @param text the row of the plain column
     */
    public static Result measure(
            Connection connection, String doc, List<byte[]> updates, String text, Plan plan, Pause pause)
            throws SQLException {
        SideBySide sideBySide = new SideBySide(connection, text);
        sideBySide.createTables();
        try {
            return sideBySide.measure(doc, updates, plan, pause);
        } finally {
            sideBySide.dropTables();
        }
    }

    private Result measure(String doc, List<byte[]> updates, Plan plan, Pause pause) throws SQLException {
        Series ops = new Series(plan.rounds);
        Series plain = new Series(plan.rounds);
        Series gin = new Series(plan.rounds);
        try (PreparedStatement insert =
                        connection.prepareStatement("insert into crdt.ops (doc, update) values (?, ?)");
                PreparedStatement update = prepareUpdate("walmerge_plain");
                PreparedStatement updateGin = prepareUpdate("walmerge_plain_gin")) {
            insert.setString(1, doc);
            int next = 0;
            for (int round = -WARM_UP_ROUNDS; round < plan.rounds; round++) {
                pause.run();
                ops.begin(round);
                for (int i = 0; i < plan.opsPerRound; i++) {
                    insert.setBytes(2, updates.get(next++ % updates.size()));
                    ops.time(insert);
                }
                ops.end(plan.opsPerRound);
                burst(plain, round, update, plan.updatesPerRound);
                burst(gin, round, updateGin, plan.updatesPerRound);
            }
        }
        return new Result(ops.cost(), plain.cost(), gin.cost());
    }

    private void burst(Series series, int round, PreparedStatement update, int count) throws SQLException {
        series.begin(round);
        for (int i = 0; i < count; i++) {
            update.setString(1, String.valueOf((char) ('a' + random.nextInt(26))));
            update.setInt(2, 1 + random.nextInt(text.length()));
            series.time(update);
        }
        series.end(count);
    }

    private PreparedStatement prepareUpdate(String table) throws SQLException {
        return connection.prepareStatement(
                "update " + table + " set body = overlay(body placing ? from ? for 1) where doc = 'k00001'");
    }

    private void createTables() throws SQLException {
        dropTables();
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table walmerge_plain (doc text primary key, body text)");
            statement.execute("create table walmerge_plain_gin (doc text primary key, body text)");
            statement.execute("create index on walmerge_plain_gin using gin (to_tsvector('english', body))");
        }
        for (String table : List.of("walmerge_plain", "walmerge_plain_gin")) {
            try (PreparedStatement insert =
                    connection.prepareStatement("insert into " + table + " values ('k00001', ?)")) {
                insert.setString(1, text);
                insert.executeUpdate();
            }
        }
    }

    private void dropTables() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("drop table if exists walmerge_plain, walmerge_plain_gin");
        }
    }

    /** The measurements of one way. Rounds below 0 warm up: they also take the first full-page images. */
    private final class Series {
        private final Latencies latencies = new Latencies();
        private final long[] walBytesPerEdit;
        private int round;
        private long startLsn;

        Series(int rounds) {
            walBytesPerEdit = new long[rounds];
        }

        void begin(int round) throws SQLException {
            this.round = round;
            startLsn = Lsn.current(connection);
        }

        void time(PreparedStatement edit) throws SQLException {
            long start = System.nanoTime();
            edit.executeUpdate();
            long duration = System.nanoTime() - start;
            if (round >= 0) {
                latencies.add(duration);
            }
        }

        void end(int count) throws SQLException {
            if (round >= 0) {
                walBytesPerEdit[round] = Math.round((Lsn.current(connection) - startLsn) / (double) count);
            }
        }

        Cost cost() {
            long[] sorted = walBytesPerEdit.clone();
            Arrays.sort(sorted);
            return new Cost(latencies, sorted[sorted.length / 2]);
        }
    }
}
