package dev.walmerge.bench.json;

import java.util.Arrays;
import java.util.Locale;

/**
 * Times one scenario by the rules of {@code bench/peers/scenarios.mjs}: after a rehearsal it runs for 0.4 seconds and 200 times, at most for a second,
 * to warm up; then 30 samples are taken, of which the first 5 don't count. Runs below 20 microseconds are timed in batches. What the
 * last one came to is checked.
 */
final class Measure {
    private static final boolean IS_QUICK = Boolean.getBoolean(JsonScenarios.QUICK);
    private static final long MILLI = 1_000_000;
    private static final int WARM_RUNS = IS_QUICK ? 20 : 200;
    private static final long WARM_NANOS = (IS_QUICK ? 100 : 400) * MILLI;
    private static final long WARM_LIMIT_NANOS = (IS_QUICK ? 300 : 1000) * MILLI;
    private static final long REHEARSAL_NANOS = (IS_QUICK ? 20 : 400) * MILLI;
    private static final int DROPPED = 5;
    private static final int SAMPLES = 25;
    private static final long SHORT_NANOS = 20_000;
    private static final int BATCH = 20;

    /** What a sample comes to is kept here, so that it can't be left out. */
    static volatile Object sink;

    private final String engine;
    private final int items;

    /** All scenarios are rehearsed before the first is measured: what is new to it makes the JVM throw compiled code away. */
    private boolean isRehearsing = true;

    Measure(String engine, int items) {
        this.engine = engine;
        this.items = items;
    }

    /** From now on scenarios are measured and printed. */
    void endRehearsal() {
        isRehearsing = false;
    }

    /**
     * One scenario.
     *
     * @param <I> what a sample works on
     * @param <O> what a run comes to
     */
    interface Scenario<I, O> {
        /** Called before warming up, and when that ends. */
        default void begin() {}

        /** What a sample of so many runs works on; not timed. */
        default I prepare(int batch) {
            return null;
        }

        /** The timed part; the number is that of the run within its sample. */
        O run(I on, int number);

        /** Whether the last run came to what it must. */
        boolean check(I on, O result);

        /** What was written, in bytes; -1 for nothing. */
        default int bytes(O result) {
            return -1;
        }

        /** How many runs a sample has at least. */
        default int batch() {
            return 1;
        }
    }

    <I, O> void print(String name, Scenario<I, O> scenario) {
        scenario.begin();
        long fastest = warmUp(scenario);
        scenario.begin();
        if (isRehearsing) {
            warmUp(scenario);
            return;
        }
        int batch = Math.max(scenario.batch(), fastest < SHORT_NANOS ? BATCH : 1);
        double[] samples = new double[DROPPED + SAMPLES];
        I on = null;
        O result = null;
        for (int i = 0; i < samples.length; i++) {
            on = scenario.prepare(batch);
            long start = System.nanoTime();
            for (int j = 0; j < batch; j++) {
                result = scenario.run(on, j);
            }
            samples[i] = (System.nanoTime() - start) / 1e3 / batch;
            sink = result;
        }
        if (!scenario.check(on, result)) {
            throw new IllegalStateException(engine + ", " + name + " of " + items + ": not the expected document");
        }
        Arrays.sort(samples, DROPPED, samples.length);
        int size = scenario.bytes(result);
        System.out.printf(
                Locale.ROOT,
                "{\"engine\":\"%s\",\"scenario\":\"%s\",\"items\":%d,\"micros\":%.3f,\"bytes\":%s}%n",
                engine,
                name,
                items,
                samples[DROPPED + SAMPLES / 2],
                size < 0 ? "null" : Integer.toString(size));
    }

    /** The nanoseconds of the fastest run. */
    private <I, O> long warmUp(Scenario<I, O> scenario) {
        long begun = System.nanoTime();
        long fastest = Long.MAX_VALUE;
        long spent = 0;
        long limit = isRehearsing ? REHEARSAL_NANOS / 2 : WARM_LIMIT_NANOS;
        for (int runs = 0; spent < limit && (runs < WARM_RUNS || spent < WARM_NANOS); runs++) {
            I on = scenario.prepare(1);
            int batch = scenario.batch();
            long start = System.nanoTime();
            for (int j = 0; j < batch; j++) {
                sink = scenario.run(on, j);
            }
            long end = System.nanoTime();
            fastest = Math.min(fastest, (end - start) / batch);
            spent = end - begun;
        }
        return fastest;
    }
}
