package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * The clients of a document: a small index for each id, and for each client its structs ordered by clock without gaps.
 */
final class ClientTable {
    static final int NONE = -1;

    private final LongIntMap indexes = new LongIntMap();
    private long lastId = -1;
    private int lastIndex = NONE;
    private int[] descending = {};

    long[] id = {};
    StructList[] structs = {};

    /** The next clock of each client: what its state vector entry says. */
    int[] state = {};

    /** The state at the last drain. */
    int[] drained = {};

    /** The state before the running merge, valid when {@link #touched} is set. */
    int[] before = {};

    boolean[] touched = {};
    boolean[] undrained = {};

    int size;

    int find(long client) {
        if (client == lastId) {
            return lastIndex;
        }
        int index = indexes.get(client);
        if (index != NONE) {
            lastId = client;
            lastIndex = index;
        }
        return index;
    }

    int intern(long client) {
        int index = find(client);
        if (index != NONE) {
            return index;
        }
        if (size == id.length) {
            grow(Math.max(2, size * 2));
        }
        id[size] = client;
        structs[size] = new StructList();
        indexes.put(client, size);
        return size++;
    }

    private void grow(int capacity) {
        id = Arrays.copyOf(id, capacity);
        structs = Arrays.copyOf(structs, capacity);
        state = Arrays.copyOf(state, capacity);
        drained = Arrays.copyOf(drained, capacity);
        before = Arrays.copyOf(before, capacity);
        touched = Arrays.copyOf(touched, capacity);
        undrained = Arrays.copyOf(undrained, capacity);
    }

    /** Whether the running merge brought it. What is new is looked at as a whole when it ends. */
    boolean isNew(int c, int clock) {
        return touched[c] && clock >= before[c];
    }

    /** The state of a client that may be unknown. */
    int stateOf(long client) {
        int index = find(client);
        return index == NONE ? 0 : state[index];
    }

    /** Client indexes, higher ids first, of those that have structs; the array may be longer than {@link #size}. */
    int[] byIdDescending() {
        if (descending.length != size) {
            long[] ids = Arrays.copyOf(id, size);
            Arrays.sort(ids);
            int[] order = new int[size];
            for (int i = 0; i < size; i++) {
                order[i] = indexes.get(ids[size - 1 - i]);
            }
            descending = order;
        }
        return descending;
    }

    long bytes() {
        long bytes = indexes.bytes() + 32L * id.length;
        for (int c = 0; c < size; c++) {
            bytes += structs[c].bytes();
        }
        return bytes;
    }
}
