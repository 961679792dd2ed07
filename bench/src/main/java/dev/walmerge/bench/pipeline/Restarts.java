package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.process.SidecarRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** Kills a sidecar that runs as a process of its own, starts the next one, and looks when it has caught up. */
final class Restarts implements AutoCloseable {
    private static final long LOOK_NANOS = 2_000_000;
    private static final int PATIENCE_MILLIS = 300_000;
    private static final String SLOT = "bench";

    /**
     * When a start was so far, in seconds since the process was made.
     *
     * @param connected the JVM is up: the first connection to the server
     * @param tookOver the slot and the documents are its own, and an engine is ready for ops
     * @param replayed what the journal alone had is merged; the slot is read
     * @param sent the server has sent all that was committed before
     * @param caughtUp {@code crdt.sync}, called as the process was made, returned: every row is in the documents
     */
    record Times(double connected, double tookOver, double replayed, double sent, double caughtUp) {}

    private final String url;
    private final Path state;
    private final Path logs;
    private final Connection connection;
    private final ExecutorService waiter = Executors.newSingleThreadExecutor();
    private SidecarRun current;
    private int starts;

    Restarts(String url, Path folder) throws SQLException, IOException {
        this.url = url;
        this.state = folder.resolve("sidecar");
        this.logs = Files.createDirectories(folder.resolve("logs"));
        this.connection = DriverManager.getConnection(url);
    }

    Connection connection() {
        return connection;
    }

    /** Starts the first one, and returns when it reads the slot. */
    void startFirst() throws IOException, InterruptedException, SQLException {
        start(null);
        requireSays(" ready: ");
    }

    /** {@code kill -9}, and gone when it returns. */
    void kill() throws InterruptedException {
        current.kill();
    }

    /** @param journalAbove that setting, or null for its default */
    Times startAgain(String journalAbove) throws IOException, InterruptedException, SQLException, ExecutionException {
        String end = text("select pg_current_wal_insert_lsn()::text");
        // The sessions of the one that was killed may be there still, for a moment.
        String isNew = "backend_start >= '" + text("select clock_timestamp()::text") + "'";
        long beganMillis = System.currentTimeMillis();
        long began = System.nanoTime();
        Future<Double> caughtUp = waiter.submit(() -> {
            try (Connection own = DriverManager.getConnection(url);
                    Statement statement = own.createStatement()) {
                statement.execute("call crdt.sync('5 min')");
                return (System.nanoTime() - began) / 1e9;
            }
        });
        start(journalAbove);
        String isSent = "select coalesce(bool_or(s.sent_lsn >= '" + end + "'), false)::text from pg_stat_replication s"
                + " join pg_replication_slots r on r.active_pid = s.pid where r.slot_name = '" + SLOT + "' and s."
                + isNew;
        while (!text(isSent).equals("true")) {
            if (!current.isAlive()) {
                throw new IOException("the sidecar ended: " + current.lastWords());
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        double sent = (System.nanoTime() - began) / 1e9;
        double connected = Double.parseDouble(text("select extract(epoch from min(backend_start))::text"
                        + " from pg_stat_activity where application_name like 'walmerge %' and " + isNew))
                - beganMillis / 1e3;
        double whole = caughtUp.get();
        return new Times(
                connected, secondsTo(" going on from ", beganMillis), secondsTo(" ready: ", beganMillis), sent, whole);
    }

    private double secondsTo(String text, long beganMillis) throws IOException, InterruptedException {
        requireSays(text);
        String line =
                current.log().lines().filter(l -> l.contains(text)).findFirst().orElseThrow();
        return (OffsetDateTime.parse(line.substring(0, line.indexOf(' ')))
                                .toInstant()
                                .toEpochMilli()
                        - beganMillis)
                / 1e3;
    }

    boolean lastReplayedItsJournal() {
        return current.log().contains(" from the journal");
    }

    private void start(String journalAbove) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("--url", url, "--slot", SLOT, "--state-directory", state.toString()));
        if (journalAbove != null) {
            arguments.addAll(List.of("--journal-above", journalAbove));
        }
        starts++;
        current = SidecarRun.start(
                List.of(), arguments, logs.resolve(String.format(Locale.ROOT, "sidecar-%03d.log", starts)), null);
    }

    private void requireSays(String text) throws IOException, InterruptedException {
        if (!current.says(text, PATIENCE_MILLIS)) {
            throw new IOException("the sidecar never said" + text + current.lastWords());
        }
    }

    /** Returns when the one that runs has done what {@code condition}, an SQL expression, says. */
    void await(String condition) throws SQLException, IOException {
        while (!text("select (" + condition + ")::text").equals("true")) {
            if (!current.isAlive()) {
                throw new IOException("the sidecar ended: " + current.lastWords());
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        waiter.shutdownNow();
        if (current != null) {
            current.close();
        }
        connection.close();
    }
}
