package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;

/** How often a thing is done before its time is believed: the rules of {@code bench/peers/sampling.mjs}. */
final class Sampling {
    private static final long WARM_NANOS = 1_000_000_000;
    private static final int MAX_WARMUPS = 1000;
    private static final long SAMPLE_NANOS = 600_000_000;
    private static final int MAX_SAMPLES = 25;
    private static final int MIN_SAMPLES = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private Sampling() {}

    /** Does the thing once; the nanoseconds of the part that counts. */
    interface Pass {
        long nanos();
    }

    /**
     * Times a pass: warmed up, then the median of its samples.
     *
     * @param line gets the milliseconds and how they came about
     */
    static void hot(Pass pass, ObjectNode line) {
        int warmups = 0;
        for (long begun = System.nanoTime(); warmups < MAX_WARMUPS && System.nanoTime() - begun < WARM_NANOS; ) {
            pass.nanos();
            warmups++;
        }
        long[] samples = new long[MAX_SAMPLES];
        int count = 0;
        long begun = System.nanoTime();
        while (count < MIN_SAMPLES || (count < MAX_SAMPLES && System.nanoTime() - begun < SAMPLE_NANOS)) {
            samples[count++] = pass.nanos();
        }
        Arrays.sort(samples, 0, count);
        double median = (samples[(count - 1) / 2] + samples[count / 2]) / 2.0;
        line.put("ms", median / NANOS_PER_MILLI).put("warmups", warmups).put("samples", count);
    }
}
