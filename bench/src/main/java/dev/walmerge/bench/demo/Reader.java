package dev.walmerge.bench.demo;

import dev.walmerge.bench.measure.Latencies;
import dev.walmerge.bench.measure.Lsn;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A second connection that reads {@code crdt.docs} while others write: sees texts grow, and times how long a committed
 * edit takes to show.
 */
final class Reader implements Callable<Latencies> {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final String url;
    private final List<String> docs;
    private final Queue<FreshnessSample> samples = new ConcurrentLinkedQueue<>();
    private final List<Seen> seen = new ArrayList<>();
    private volatile boolean stopping;

    /** What was seen of one document; the lists of waiting samples are in the order of their LSNs. */
    private static final class Seen {
        private final ArrayDeque<FreshnessSample> waiting = new ArrayDeque<>();
        private long version = -1;
        private volatile int length;
        private int longest;
        private final List<Long> growthNanos = new ArrayList<>();
    }

    Reader(String url, List<String> docs) {
        this.url = url;
        this.docs = List.copyOf(docs);
        for (int i = 0; i < docs.size(); i++) {
            seen.add(new Seen());
        }
    }

    /** Where writers put the edits to time. */
    Queue<FreshnessSample> samples() {
        return samples;
    }

    /** Ends {@link #call} after one more look. */
    void stop() {
        stopping = true;
    }

    /** The last length seen of a document, in characters. Any thread. */
    int length(int documentIndex) {
        return seen.get(documentIndex).length;
    }

    /** How many times a text longer than any before was seen before a moment. Only after {@link #call} returned. */
    int growthsBefore(int documentIndex, long nanos) {
        int count = 0;
        for (long growth : seen.get(documentIndex).growthNanos) {
            if (growth - nanos < 0) {
                count++;
            }
        }
        return count;
    }

    /** Reads until stopped; returns commit to visible of every sample that showed. */
    @Override
    public Latencies call() throws SQLException {
        Latencies freshness = new Latencies();
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement positions = connection.prepareStatement(
                        "select doc, version, merged_lsn::text from crdt.docs where doc = any (?)");
                PreparedStatement length =
                        connection.prepareStatement("select length(body_text) from crdt.docs where doc = ?")) {
            Array keys = connection.createArrayOf("text", docs.toArray());
            positions.setArray(1, keys);
            boolean last = false;
            while (!last) {
                last = stopping;
                look(positions, length, freshness);
                LockSupport.parkNanos(POLL_NANOS);
            }
            keys.free();
        }
        return freshness;
    }

    private void look(PreparedStatement positions, PreparedStatement length, Latencies freshness) throws SQLException {
        for (FreshnessSample sample = samples.poll(); sample != null; sample = samples.poll()) {
            seen.get(sample.documentIndex()).waiting.add(sample);
        }
        long[] versions = new long[docs.size()];
        Arrays.fill(versions, -1);
        try (ResultSet row = positions.executeQuery()) {
            long visible = System.nanoTime();
            while (row.next()) {
                int documentIndex = docs.indexOf(row.getString(1));
                versions[documentIndex] = row.getLong(2);
                settle(seen.get(documentIndex), Lsn.parse(row.getString(3)), visible, freshness);
            }
        }
        for (int i = 0; i < versions.length; i++) {
            if (versions[i] != seen.get(i).version) {
                seen.get(i).version = versions[i];
                measure(seen.get(i), docs.get(i), length);
            }
        }
    }

    private static void settle(Seen document, long mergedLsn, long visible, Latencies freshness) {
        FreshnessSample oldest = document.waiting.peek();
        while (oldest != null && Long.compareUnsigned(oldest.lsn(), mergedLsn) <= 0) {
            freshness.add(visible - oldest.committedNanos());
            document.waiting.remove();
            oldest = document.waiting.peek();
        }
    }

    private static void measure(Seen document, String doc, PreparedStatement length) throws SQLException {
        length.setString(1, doc);
        try (ResultSet row = length.executeQuery()) {
            if (row.next()) {
                document.length = row.getInt(1);
                if (document.length > document.longest) {
                    document.longest = document.length;
                    document.growthNanos.add(System.nanoTime());
                }
            }
        }
    }
}
