package dev.walmerge.bench.measure;

import java.util.Arrays;
import java.util.Locale;

/** Durations, kept exactly. Not thread-safe. */
public final class Latencies {
    private static final int FIRST_CAPACITY = 1024;
    private static final double NANOS_PER_MILLI = 1e6;

    private long[] nanos = new long[FIRST_CAPACITY];
    private int count;

    public void add(long durationNanos) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = durationNanos;
    }

    public void addAll(Latencies other) {
        for (int i = 0; i < other.count; i++) {
            add(other.nanos[i]);
        }
    }

    public int count() {
        return count;
    }

    /** The smallest duration that at least {@code percent} of all do not exceed, in milliseconds; NaN without any. */
    public double percentileMillis(double percent) {
        if (count == 0) {
            return Double.NaN;
        }
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * count);
        return sorted[Math.max(0, rank - 1)] / NANOS_PER_MILLI;
    }

    /** For people: {@code p50 0.21 ms, p99 1.9 ms}. */
    public String summary() {
        return count == 0
                ? "no samples"
                : "p50 " + millis(percentileMillis(50)) + ", p99 " + millis(percentileMillis(99));
    }

    /** Milliseconds with as many decimals as mean something. */
    public static String millis(double millis) {
        String pattern = millis >= 100 ? "%.0f ms" : millis >= 10 ? "%.1f ms" : millis >= 1 ? "%.2f ms" : "%.3f ms";
        return String.format(Locale.ROOT, pattern, millis);
    }
}
