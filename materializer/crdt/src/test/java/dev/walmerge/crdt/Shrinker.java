package dev.walmerge.crdt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a failing list smaller: what can be left out is, in ever smaller pieces (Zeller and Hildebrandt, 2002). */
final class Shrinker {
    private static final long NANOS = 20_000_000_000L;

    private Shrinker() {}

    /** A part of {@code items} that still fails; {@code fails} must hold for all of them. Takes 20 seconds at most. */
    static <T> List<T> minimal(List<T> items, Predicate<List<T>> fails) {
        List<T> kept = new ArrayList<>(items);
        long end = System.nanoTime() + NANOS;
        for (int piece = Math.max(1, kept.size() / 2); ; ) {
            boolean smaller = false;
            for (int at = 0; at < kept.size() && System.nanoTime() < end; ) {
                List<T> without = new ArrayList<>(kept.subList(0, at));
                without.addAll(kept.subList(Math.min(kept.size(), at + piece), kept.size()));
                if (fails.test(without)) {
                    kept = without;
                    smaller = true;
                } else {
                    at += piece;
                }
            }
            if (piece == 1 && (!smaller || System.nanoTime() >= end)) {
                return kept;
            }
            piece = Math.max(1, piece / 2);
        }
    }

    /** Writes a case to {@code target/cases} and returns a message that has it and its path. */
    static String report(String name, String text) {
        Path path = Path.of("target", "cases", name + ".txt");
        try {
            Files.createDirectories(path.getParent());
            Files.writeString(path, text);
        } catch (IOException e) {
            return text + "\n(not written: " + e + ")";
        }
        return "also in " + path.toAbsolutePath() + "\n" + text;
    }
}
