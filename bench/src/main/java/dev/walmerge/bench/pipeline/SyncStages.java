package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.measure.Latencies;
import dev.walmerge.engine.failpoint.Failpoint;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.ObjDoubleConsumer;

/**
 * Where the time of a {@code crdt.sync} goes, seen from the failpoints that the sidecar of this process passes. One waiter
 * at a time, and nobody else who writes: then the last write-back before the call returned is the one that it waited for,
 * and the last message before that write-back the barrier.
 */
final class SyncStages implements Failpoint.Hook {
    private record Stage(String name, String words, Latencies latencies) {
        Stage(String name, String words) {
            this(name, words, new Latencies());
        }
    }

    /** In order; each begins where the one before ended, the first at the return of the INSERT's COMMIT. */
    private final List<Stage> stages = List.of(
            new Stage("barrier", "the call sets a barrier, it comes to the sidecar"),
            new Stage("merged", "journal, merge, hand-over to write-back"),
            new Stage("fence", "fence of the write-back, with the progress row"),
            new Stage("statements", "its other statements"),
            new Stage("committed", "its COMMIT"),
            new Stage("noticed", "crdt.sync sees it and returns"),
            new Stage("looked", "the look that proves it"));

    private final Latencies total = new Latencies();
    private long receivedNanos;
    private long barrierNanos;
    private long writingNanos;
    private long fencedNanos;
    private long writtenNanos;
    private long committedNanos;
    private int samplesUnclear;

    @Override
    public synchronized void reached(Failpoint at) {
        long now = System.nanoTime();
        switch (at) {
            case AFTER_RECEIVE -> receivedNanos = now;
            case BEFORE_WRITE -> {
                barrierNanos = receivedNanos;
                writingNanos = now;
            }
            case INSIDE_WRITE -> fencedNanos = now;
            case BEFORE_COMMIT -> writtenNanos = now;
            case AFTER_COMMIT -> committedNanos = now;
            default -> {}
        }
    }

    /**
     * Takes a sample.
     *
     * @param insertedNanos when the INSERT's COMMIT returned
     * @param returnedNanos when the call did
     * @param lookedNanos when the row had been read
     */
    synchronized void add(long insertedNanos, long returnedNanos, long lookedNanos) {
        long[] ends = {barrierNanos, writingNanos, fencedNanos, writtenNanos, committedNanos, returnedNanos, lookedNanos
        };
        long last = insertedNanos;
        for (long end : ends) {
            if (end - last < 0) {
                // Something else was received or written in between.
                samplesUnclear++;
                return;
            }
            last = end;
        }
        last = insertedNanos;
        for (int i = 0; i < ends.length; i++) {
            stages.get(i).latencies.add(ends[i] - last);
            last = ends[i];
        }
        total.add(lookedNanos - insertedNanos);
    }

    /** A line a stage: the medians, and their share of the median of all. */
    void print(PrintStream out) {
        double whole = total.percentileMillis(50);
        for (Stage stage : stages) {
            double median = stage.latencies.percentileMillis(50);
            out.printf(
                    Locale.ROOT,
                    "  %-50s %10s %9.0f %%%n",
                    stage.words,
                    Latencies.millis(median),
                    100 * median / whole);
        }
        out.printf(Locale.ROOT, "  %-50s %10s %20d samples%n", "whole", Latencies.millis(whole), total.count());
        if (samplesUnclear > 0) {
            out.printf(Locale.ROOT, "  %d samples left out: something else was written meanwhile%n", samplesUnclear);
        }
    }

    /** By name, in milliseconds. */
    void forEach(ObjDoubleConsumer<String> consumer) {
        for (Stage stage : stages) {
            consumer.accept(stage.name, stage.latencies.percentileMillis(50));
        }
    }
}
