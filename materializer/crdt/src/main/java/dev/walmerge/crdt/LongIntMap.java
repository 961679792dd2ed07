package dev.walmerge.crdt;

import java.util.Arrays;

/** Open addressing from long keys to non-negative ints, without boxing. {@link #NONE} means absent. */
final class LongIntMap {
    static final int NONE = -1;

    private long[] keys;
    private int[] values;
    private int size;

    LongIntMap() {
        keys = new long[8];
        values = new int[8];
        Arrays.fill(values, NONE);
    }

    int size() {
        return size;
    }

    int get(long key) {
        int mask = keys.length - 1;
        int slot = Hash.of(key) & mask;
        while (values[slot] != NONE) {
            if (keys[slot] == key) {
                return values[slot];
            }
            slot = slot + 1 & mask;
        }
        return NONE;
    }

    void put(long key, int value) {
        if (size * 2 >= keys.length) {
            grow();
        }
        int mask = keys.length - 1;
        int slot = Hash.of(key) & mask;
        while (values[slot] != NONE && keys[slot] != key) {
            slot = slot + 1 & mask;
        }
        if (values[slot] == NONE) {
            size++;
        }
        keys[slot] = key;
        values[slot] = value;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new int[oldKeys.length * 2];
        Arrays.fill(values, NONE);
        size = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != NONE) {
                put(oldKeys[i], oldValues[i]);
            }
        }
    }

    /** Later keys of the probe sequence move up, so no tombstones are left. */
    void remove(long key) {
        int mask = keys.length - 1;
        int slot = Hash.of(key) & mask;
        while (values[slot] != NONE && keys[slot] != key) {
            slot = slot + 1 & mask;
        }
        if (values[slot] == NONE) {
            return;
        }
        size--;
        int hole = slot;
        int next = hole + 1 & mask;
        while (values[next] != NONE) {
            int home = Hash.of(keys[next]) & mask;
            if ((next - home & mask) >= (next - hole & mask)) {
                keys[hole] = keys[next];
                values[hole] = values[next];
                hole = next;
            }
            next = next + 1 & mask;
        }
        values[hole] = NONE;
    }

    void clear() {
        Arrays.fill(values, NONE);
        size = 0;
    }

    long bytes() {
        return 12L * keys.length;
    }
}
