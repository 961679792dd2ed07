package dev.walmerge.bench.core;

import java.util.SplittableRandom;

/**
 * What the machine takes to look at rows at random places of a table as large as a document's structs, and nothing else: what is
 * below an edit's cost, whatever the code does.
 */
final class RandomRows {
    /** The columns that cutting a struct reads. */
    private static final int COLUMNS = 15;

    private static final int PASSES = 20;
    private static final int READS = 100_000;

    /** Keeps what was read, so that reading can't be left out. */
    static volatile int sink;

    private RandomRows() {}

    /** The nanoseconds one row takes whose place depends on the row before, the fastest of some passes. */
    static long nanos(int rows) {
        int[][] table = new int[COLUMNS][rows];
        SplittableRandom random = new SplittableRandom(rows);
        for (int[] column : table) {
            for (int row = 0; row < rows; row++) {
                column[row] = random.nextInt(rows);
            }
        }
        long fastest = Long.MAX_VALUE;
        for (int pass = 0; pass < PASSES; pass++) {
            long start = System.nanoTime();
            sink = walk(table, rows);
            fastest = Math.min(fastest, (System.nanoTime() - start) / READS);
        }
        return fastest;
    }

    private static int walk(int[][] table, int rows) {
        int row = 0;
        for (int i = 0; i < READS; i++) {
            int sum = i;
            for (int[] column : table) {
                sum += column[row];
            }
            row = (sum & Integer.MAX_VALUE) % rows;
        }
        return row;
    }
}
