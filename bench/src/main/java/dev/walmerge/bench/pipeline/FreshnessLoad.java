package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.keystroke.KeystrokeUpdates;
import dev.walmerge.bench.measure.Latencies;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Apps that write ops, and one that asks for its own to be visible. */
final class FreshnessLoad {
    private static final int PAYLOAD_BYTES = 40;
    private static final int DOCUMENT_BYTES = 5_000;
    private static final int DOCUMENTS = 500;
    private static final int OPS_PER_SECOND = 2_000;
    private static final int WRITERS = 4;
    /** A sidecar that has just started is slower at first. */
    private static final int WARM_UP_SECONDS = 3;

    /** An op that nobody waits for is looked for so often. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final String INSERT = "insert into crdt.ops (doc, update) values (?, ?)";

    private FreshnessLoad() {}

    /**
     * One session, one op at a time into a document of 5 kB, with a little thought in between.
     *
     * @param stages where the time goes, for a sidecar in this process that has nothing else to do; or null
     */
    static Latencies light(String url, String doc, boolean sync, int seconds, SyncStages stages) throws SQLException {
        Latencies latencies = new Latencies();
        List<byte[]> updates = KeystrokeUpdates.ofSize(PAYLOAD_BYTES, 50_000);
        int initial = DOCUMENT_BYTES / (PAYLOAD_BYTES / 2);
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, doc);
            for (byte[] update : updates.subList(0, initial)) {
                insert.setBytes(2, update);
                insert.addBatch();
            }
            insert.executeBatch();
            await(connection, doc, initial, true);
            long begun = System.nanoTime();
            long end = begun + TimeUnit.SECONDS.toNanos(WARM_UP_SECONDS + seconds);
            for (int i = initial; i < updates.size() && System.nanoTime() - end < 0; i++) {
                insert.setBytes(2, updates.get(i));
                insert.executeUpdate();
                long committed = System.nanoTime();
                long returned = await(connection, doc, i + 1, sync);
                // The look that proves it is part of it: a quarter of a millisecond.
                long looked = System.nanoTime();
                if (looked - begun > TimeUnit.SECONDS.toNanos(WARM_UP_SECONDS)) {
                    latencies.add(looked - committed);
                    if (stages != null) {
                        stages.add(committed, returned, looked);
                    }
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20 + i % 7));
            }
        }
        return latencies;
    }

    /** Several sessions that write at a steady rate, of which one more takes samples. */
    static Latencies steady(String url, String prefix, boolean sync, int seconds)
            throws SQLException, InterruptedException, ExecutionException {
        AtomicBoolean stopping = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                writers.add(threads.submit(() -> write(url, prefix, writer, stopping)));
            }
            Latencies latencies = light(url, prefix + "-sampled", sync, seconds, null);
            stopping.set(true);
            for (Future<?> writer : writers) {
                writer.get();
            }
            return latencies;
        } finally {
            stopping.set(true);
            threads.shutdownNow();
        }
    }

    private static Void write(String url, String prefix, int writer, AtomicBoolean stopping) throws SQLException {
        List<byte[]> updates = KeystrokeUpdates.ofSize(PAYLOAD_BYTES, 10_000);
        int own = DOCUMENTS / WRITERS;
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            long begun = System.nanoTime();
            for (int i = 0; !stopping.get(); i++) {
                long turn = begun + i * TimeUnit.SECONDS.toNanos(1) * WRITERS / OPS_PER_SECOND;
                for (long rest = turn - System.nanoTime(); rest > 0; rest = turn - System.nanoTime()) {
                    LockSupport.parkNanos(rest);
                }
                insert.setString(1, prefix + (writer * own + i % own));
                insert.setBytes(2, updates.get(i / own));
                insert.executeUpdate();
            }
        }
        return null;
    }

    /** Returns when the row holds so many ops, and tells when {@code crdt.sync} had returned. */
    private static long await(Connection connection, String doc, int ops, boolean sync) throws SQLException {
        if (sync) {
            try (PreparedStatement call = connection.prepareStatement("call crdt.sync('30 s', ?)")) {
                call.setString(1, doc);
                call.execute();
            }
        }
        long returned = System.nanoTime();
        try (PreparedStatement look = connection.prepareStatement("select op_count from crdt.docs where doc = ?")) {
            look.setString(1, doc);
            for (long held = held(look); held < ops; held = held(look)) {
                if (sync) {
                    throw new SQLException("crdt.sync returned, but the row holds " + held + " ops of " + ops);
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
        return returned;
    }

    private static long held(PreparedStatement look) throws SQLException {
        try (ResultSet row = look.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }
}
