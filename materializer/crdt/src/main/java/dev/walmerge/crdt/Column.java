package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * One int a row, as narrow as what is in it allows: no memory while all rows hold the same, else one, two or four bytes a row.
 * Rows that were never set hold that same value.
 */
final class Column {
    private final int same;
    private int capacity;

    /** Bytes a row. */
    private int width;

    // The one for the width.
    private byte[] bytes;
    private short[] shorts;
    private int[] ints;

    /** @param same what rows hold that were never set; it costs nothing while there is no other */
    Column(int same) {
        this.same = same;
    }

    int get(int row) {
        return width == 0 ? same : read(row);
    }

    private int read(int row) {
        if (width == Byte.BYTES) {
            return bytes[row];
        }
        return width == Short.BYTES ? shorts[row] : ints[row];
    }

    void set(int row, int value) {
        if (width == 0 && value == same) {
            return;
        }
        if (width == Byte.BYTES && value == (byte) value) {
            bytes[row] = (byte) value;
        } else if (width == Short.BYTES && value == (short) value) {
            shorts[row] = (short) value;
        } else if (width == Integer.BYTES) {
            ints[row] = value;
        } else {
            widen(value);
            set(row, value);
        }
    }

    void add(int row, int more) {
        set(row, get(row) + more);
    }

    /** Makes each row wide enough for a value. */
    private void widen(int value) {
        if (value == (byte) value && width == 0) {
            bytes = new byte[capacity];
            Arrays.fill(bytes, (byte) same);
            width = Byte.BYTES;
        } else if (value == (short) value) {
            short[] wider = new short[capacity];
            for (int i = 0; i < capacity; i++) {
                wider[i] = (short) get(i);
            }
            shorts = wider;
            bytes = null;
            width = Short.BYTES;
        } else {
            int[] wider = new int[capacity];
            for (int i = 0; i < capacity; i++) {
                wider[i] = get(i);
            }
            ints = wider;
            shorts = null;
            bytes = null;
            width = Integer.BYTES;
        }
    }

    /** Makes it as many rows; new ones hold the same as those never set. */
    void resize(int rows) {
        int old = Math.min(capacity, rows);
        capacity = rows;
        if (bytes != null) {
            bytes = Arrays.copyOf(bytes, rows);
            Arrays.fill(bytes, old, rows, (byte) same);
        } else if (shorts != null) {
            shorts = Arrays.copyOf(shorts, rows);
            Arrays.fill(shorts, old, rows, (short) same);
        } else if (ints != null) {
            ints = Arrays.copyOf(ints, rows);
            Arrays.fill(ints, old, rows, same);
        }
    }

    long bytes() {
        return (long) width * capacity;
    }
}
