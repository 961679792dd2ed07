package dev.walmerge.bench.peers;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/** Says on stderr what is being measured and how long each of it took. */
final class Progress {
    private static final double MILLIS_PER_SECOND = 1000;

    private final long begun = System.nanoTime();
    private final Map<String, Double> secondsByEngine = new TreeMap<>();

    /** Something to measure; it may fail. */
    interface Task {
        /** Returns null, or what went wrong. */
        String run() throws IOException;
    }

    /** Runs a task of an engine, and then says a line. */
    void measure(String engine, String what, Task task) throws IOException {
        long start = System.nanoTime();
        String failure = task.run();
        double seconds = Duration.ofNanos(System.nanoTime() - start).toMillis() / MILLIS_PER_SECOND;
        secondsByEngine.merge(engine, seconds, Double::sum);
        System.err.printf(
                Locale.ROOT,
                "walmerge: %s %s, %s: %.1f s%s%n",
                elapsed(),
                engine,
                what,
                seconds,
                failure == null ? "" : ", failed: " + failure);
    }

    /** Minutes and seconds since the beginning. */
    String elapsed() {
        Duration spent = Duration.ofNanos(System.nanoTime() - begun);
        return String.format(Locale.ROOT, "%d:%02d", spent.toMinutes(), spent.toSecondsPart());
    }

    /** What each engine took. */
    String byEngine() {
        StringJoiner out = new StringJoiner(", ");
        secondsByEngine.forEach((engine, seconds) -> out.add(String.format(Locale.ROOT, "%s %.0f s", engine, seconds)));
        return out.toString();
    }
}
