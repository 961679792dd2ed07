package dev.walmerge.crdt;

import java.util.Arrays;

/** How long the struct of each row is: the column that is read most. Two bytes a row, and four more from the first very long one on. */
final class Lengths {
    /** In place of what doesn't fit. */
    private static final char LONG = Character.MAX_VALUE;

    private char[] chars = {};

    /** Of the rows marked as {@link #LONG}; null while there is none. */
    private int[] ints;

    int get(int row) {
        int length = chars[row];
        return length == LONG ? ints[row] : length;
    }

    /** @param length not negative */
    void set(int row, int length) {
        if (length < LONG) {
            chars[row] = (char) length;
        } else {
            setLong(row, length);
        }
    }

    private void setLong(int row, int length) {
        if (ints == null) {
            ints = new int[chars.length];
        }
        chars[row] = LONG;
        ints[row] = length;
    }

    void add(int row, int more) {
        set(row, get(row) + more);
    }

    void resize(int rows) {
        chars = Arrays.copyOf(chars, rows);
        ints = ints == null ? null : Arrays.copyOf(ints, rows);
    }

    long bytes() {
        return (long) Character.BYTES * chars.length + (ints == null ? 0 : 4L * ints.length);
    }
}
