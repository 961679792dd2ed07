package dev.walmerge.bench.core;

import dev.walmerge.crdt.Doc;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Replays traces as local edits and prints a line of JSON for each: the median of 25 replays after 15 that warm up, in milliseconds,
 * and the first one of the process; beside it what the
 * thread itself took, which a busy machine disturbs less. Every result is checked against the trace's.
 */
public final class LocalEdits {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int WARM_UPS = 15;
    private static final int SAMPLES = 25;

    private LocalEdits() {}

    /** @param args traces as {@link LocalTrace} reads them */
    public static void main(String[] args) {
        for (String file : args) {
            LocalTrace trace = LocalTrace.read(Path.of(file));
            double first = 0;
            double[] samples = new double[SAMPLES];
            double[] cpu = new double[SAMPLES];
            for (int i = -WARM_UPS; i < SAMPLES; i++) {
                long startCpu = THREADS.getCurrentThreadCpuTime();
                long start = System.nanoTime();
                Doc doc = trace.replay();
                double millis = (System.nanoTime() - start) / 1e6;
                double cpuMillis = (THREADS.getCurrentThreadCpuTime() - startCpu) / 1e6;
                trace.check(doc);
                if (i == -WARM_UPS) {
                    first = millis;
                } else if (i >= 0) {
                    samples[i] = millis;
                    cpu[i] = cpuMillis;
                }
            }
            Arrays.sort(samples);
            Arrays.sort(cpu);
            String name = Path.of(file).getFileName().toString().replace(".json.gz", "");
            System.out.printf(
                    Locale.ROOT,
                    "{\"engine\":\"walmerge\",\"row\":\"replay-local\",\"trace\":\"%s\",\"edits\":%d,\"ms\":%.2f,\"cpuMs\":%.2f,\"firstMs\":%.2f}%n",
                    name,
                    trace.edits(),
                    samples[SAMPLES / 2],
                    cpu[SAMPLES / 2],
                    first);
        }
    }
}
