package dev.walmerge.bench.json;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Times one scenario: it runs for a second and 200 times to warm up, then 5 times, then 25 samples are taken. Runs below 20
 * microseconds are timed in batches.
 */
final class Measure {
    private static final int SAMPLES = 25;
    private static final long WARM_UP_NANOS = 1_000_000_000L;
    private static final int WARM_UP_RUNS = 200;
    private static final double BATCH_BELOW_MICROS = 20;
    private static final double BATCH_MICROS = 200;

    /** What a run comes to is kept here, so that it can't be left out. */
    static volatile Object sink;

    private Measure() {}

    /**
     * @param prepare makes what one run is done with; not timed
     * @param run the scenario
     * @param bytes what it came to, in bytes; -1 for none
     */
    static <I, O> void print(
            String engine,
            String scenario,
            int items,
            Supplier<I> prepare,
            Function<I, O> run,
            ToIntFunction<O> bytes) {
        int size = bytes.applyAsInt(run.apply(prepare.get()));
        long end = System.nanoTime() + WARM_UP_NANOS;
        double micros = 0;
        for (int i = 0; i < WARM_UP_RUNS || System.nanoTime() < end; i++) {
            micros = sample(prepare, run, 1);
        }
        for (int i = 0; i < 5; i++) {
            micros = Math.min(micros, sample(prepare, run, 1));
        }
        int batch = micros < BATCH_BELOW_MICROS ? (int) Math.ceil(BATCH_MICROS / Math.max(micros, 0.05)) : 1;
        double[] samples = new double[SAMPLES];
        for (int i = -5; i < SAMPLES; i++) {
            double sample = sample(prepare, run, batch);
            samples[Math.max(i, 0)] = sample;
        }
        Arrays.sort(samples);
        System.out.printf(
                Locale.ROOT,
                "{\"engine\":\"%s\",\"scenario\":\"%s\",\"items\":%d,\"micros\":%.3f,\"bytes\":%s}%n",
                engine,
                scenario,
                items,
                samples[SAMPLES / 2],
                size < 0 ? "null" : Integer.toString(size));
    }

    private static <I, O> double sample(Supplier<I> prepare, Function<I, O> run, int batch) {
        Object[] inputs = new Object[batch];
        for (int i = 0; i < batch; i++) {
            inputs[i] = prepare.get();
        }
        long start = System.nanoTime();
        for (int i = 0; i < batch; i++) {
            @SuppressWarnings("unchecked")
            I input = (I) inputs[i];
            sink = run.apply(input);
        }
        return (System.nanoTime() - start) / 1e3 / batch;
    }
}
