package dev.walmerge.bench.core;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.SharedText;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/**
 * What a local edit costs in texts of 1 kB to 10 MB that were pasted in pieces of 100 units at random places: nanoseconds of the thread,
 * the median of 9 texts. Prints a line of JSON for each.
 */
public final class LocalFlatness {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 9;
    private static final int EDITS = 2000;
    private static final int PIECE = 100;

    private enum Edit {
        TYPE,
        INSERT_ANYWHERE,
        DELETE_ANYWHERE
    }

    private LocalFlatness() {}

    public static void main(String[] args) {
        for (int units : new int[] {1_000, 1_000, 100_000, 1_000_000, 10_000_000}) {
            for (Edit edit : Edit.values()) {
                double[] nanos = new double[ROUNDS];
                for (int round = 0; round < ROUNDS; round++) {
                    nanos[round] = run(units, edit, new Random(round));
                }
                Arrays.sort(nanos);
                System.out.printf(
                        Locale.ROOT,
                        "{\"engine\":\"walmerge\",\"row\":\"local-flatness\",\"edit\":\"%s\",\"units\":%d,\"nanos\":%.0f}%n",
                        edit.name().toLowerCase(Locale.ROOT),
                        units,
                        nanos[ROUNDS / 2]);
            }
        }
    }

    private static double run(int units, Edit edit, Random random) {
        Doc doc = Doc.create(true);
        SharedText text = doc.edit(1).text("text");
        String piece = "x".repeat(PIECE);
        for (int length = 0; length < units; length += PIECE) {
            text.insert(random.nextInt(length + 1), piece);
        }
        int length = text.length();
        int cursor = length / 2;
        int edits = Math.min(EDITS, length / 2);
        long start = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < edits; i++) {
            switch (edit) {
                case TYPE -> text.insert(cursor++, "a");
                case INSERT_ANYWHERE -> text.insert(random.nextInt(length), "a");
                default -> text.delete(random.nextInt(length--), 1);
            }
        }
        return (THREADS.getCurrentThreadCpuTime() - start) / (double) edits;
    }
}
