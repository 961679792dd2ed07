package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;

/** How often a thing is done before its time is believed: the rules of {@code bench/peers/sampling.mjs}. */
final class Sampling {
    private static final long MILLI = 1_000_000;
    private static final long WARM_NANOS = (OurSide.IS_QUICK ? 200 : 1000) * MILLI;
    private static final int MAX_WARMUPS = 1000;
    private static final long SAMPLE_NANOS = (OurSide.IS_QUICK ? 200 : 600) * MILLI;
    private static final int MAX_SAMPLES = 25;

    private Sampling() {}

    /** Does the thing once; the nanoseconds of the part that counts. */
    interface Pass {
        long nanos();
    }

    /**
     * Times a pass: warmed up, then the median of its samples, and the first of all beside it.
     *
     * @param line gets the milliseconds and how they came about
     */
    static void hot(Pass pass, ObjectNode line) {
        long begun = System.nanoTime();
        long first = pass.nanos();
        int warmups = 1;
        for (; warmups < MAX_WARMUPS && System.nanoTime() - begun < WARM_NANOS; warmups++) {
            pass.nanos();
        }
        long[] samples = new long[MAX_SAMPLES];
        int count = 0;
        begun = System.nanoTime();
        do {
            samples[count++] = pass.nanos();
        } while (count < MAX_SAMPLES && System.nanoTime() - begun < SAMPLE_NANOS);
        Arrays.sort(samples, 0, count);
        double median = (samples[(count - 1) / 2] + samples[count / 2]) / 2.0;
        line.put("ms", median / MILLI).put("firstMs", (double) first / MILLI);
        line.put("warmups", warmups).put("samples", count);
    }
}
