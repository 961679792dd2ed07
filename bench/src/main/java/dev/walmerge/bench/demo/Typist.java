package dev.walmerge.bench.demo;

import dev.walmerge.bench.measure.Latencies;
import dev.walmerge.bench.measure.Lsn;
import dev.walmerge.bench.trace.Trace;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Replays one history as an app would write it: on a connection of its own, one plain INSERT and one transaction an
 * edit, at a steady rate as far as the server keeps up.
 */
final class Typist implements Callable<Latencies> {
    private static final long SAMPLE_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final String url;
    private final String doc;
    private final int documentIndex;
    private final Trace trace;
    private final int editsPerSecond;
    private final Queue<FreshnessSample> samples;
    private volatile int edits;
    private volatile long lastInsertNanos;
    private volatile boolean done;

    /**
     * @param editsPerSecond 0 for as fast as it goes
     * @param samples takes the edits whose freshness is to be measured
     */
    Typist(String url, String doc, int documentIndex, Trace trace, int editsPerSecond, Queue<FreshnessSample> samples) {
        this.url = url;
        this.doc = doc;
        this.documentIndex = documentIndex;
        this.trace = trace;
        this.editsPerSecond = editsPerSecond;
        this.samples = samples;
    }

    @Override
    public Latencies call() throws SQLException {
        Latencies latencies = new Latencies();
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement insert =
                        connection.prepareStatement("insert into crdt.ops (doc, update) values (?, ?)")) {
            insert.setString(1, doc);
            long begun = System.nanoTime();
            long nextSample = begun;
            int committedEdits = 0;
            for (byte[] update : trace.updates()) {
                if (editsPerSecond > 0) {
                    awaitTurn(begun, committedEdits);
                }
                insert.setBytes(2, update);
                long start = System.nanoTime();
                lastInsertNanos = start;
                insert.executeUpdate();
                long committed = System.nanoTime();
                latencies.add(committed - start);
                committedEdits++;
                edits = committedEdits;
                if (committed >= nextSample) {
                    samples.add(new FreshnessSample(documentIndex, committed, Lsn.current(connection)));
                    nextSample = committed + SAMPLE_EVERY_NANOS;
                }
            }
        }
        done = true;
        return latencies;
    }

    String doc() {
        return doc;
    }

    Trace trace() {
        return trace;
    }

    /** Edits committed so far. Any thread. */
    int edits() {
        return edits;
    }

    /** When the last INSERT began, {@link System#nanoTime}; moves on until {@link #isDone}. Any thread. */
    long lastInsertNanos() {
        return lastInsertNanos;
    }

    boolean isDone() {
        return done;
    }

    private void awaitTurn(long begun, long turnIndex) throws SQLException {
        long turn = begun + turnIndex * TimeUnit.SECONDS.toNanos(1) / editsPerSecond;
        for (long rest = turn - System.nanoTime(); rest > 0; rest = turn - System.nanoTime()) {
            LockSupport.parkNanos(rest);
            if (Thread.currentThread().isInterrupted()) {
                throw new SQLException("interrupted");
            }
        }
    }
}
