package dev.walmerge.decoder.pgoutput;

/**
 * Values by an int key (an object id, a transaction id): open addressing over two arrays, so that a look-up allocates
 * nothing. A removed key leaves no mark behind: those after it move up.
 */
final class IntTable<V> {
    private static final int INITIAL_SLOTS = 16;
    private static final int GOLDEN_RATIO = 0x9e3779b9;

    private int[] keys = new int[INITIAL_SLOTS];
    private Object[] values = new Object[INITIAL_SLOTS];
    private int size;

    int size() {
        return size;
    }

    /** The value, or null. */
    @SuppressWarnings("unchecked")
    V get(int key) {
        return (V) values[slotOf(key)];
    }

    void put(int key, V value) {
        int slot = slotOf(key);
        if (values[slot] == null) {
            size++;
        }
        keys[slot] = key;
        values[slot] = value;
        if (size * 2 > values.length) {
            grow();
        }
    }

    void remove(int key) {
        int free = slotOf(key);
        if (values[free] == null) {
            return;
        }
        size--;
        values[free] = null;
        int mask = values.length - 1;
        for (int slot = (free + 1) & mask; values[slot] != null; slot = (slot + 1) & mask) {
            int home = home(keys[slot]);
            // It may move up unless that would put it before its home, going round.
            if (((slot - home) & mask) >= ((slot - free) & mask)) {
                keys[free] = keys[slot];
                values[free] = values[slot];
                values[slot] = null;
                free = slot;
            }
        }
    }

    private void grow() {
        int[] oldKeys = keys;
        Object[] oldValues = values;
        keys = new int[oldKeys.length * 2];
        values = new Object[oldValues.length * 2];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != null) {
                int slot = slotOf(oldKeys[i]);
                keys[slot] = oldKeys[i];
                values[slot] = oldValues[i];
            }
        }
    }

    /** The slot that holds the key, or the free one where it would go; there is one, as half of them always are. */
    private int slotOf(int key) {
        int mask = values.length - 1;
        int slot = home(key);
        while (values[slot] != null && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private int home(int key) {
        int hash = key * GOLDEN_RATIO;
        return (hash ^ hash >>> 16) & (values.length - 1);
    }
}
