package dev.walmerge.crdt;

import java.util.Arrays;

/** Interned names (roots, map keys, node names, format keys) as small ints. They are never freed. */
final class Names {
    static final int NONE = -1;

    private String[] names = new String[4];
    private int[] slots = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};
    private int size;
    private long units;

    String get(int name) {
        return names[name];
    }

    int find(String name) {
        int mask = slots.length - 1;
        int slot = Hash.of(name) & mask;
        while (slots[slot] != NONE) {
            if (names[slots[slot]].equals(name)) {
                return slots[slot];
            }
            slot = slot + 1 & mask;
        }
        return NONE;
    }

    int intern(String name) {
        int found = find(name);
        if (found != NONE) {
            return found;
        }
        if (size == names.length) {
            names = Arrays.copyOf(names, size * 2);
        }
        if ((size + 1) * 2 > slots.length) {
            rehash();
        }
        names[size] = name;
        units += name.length();
        place(size);
        return size++;
    }

    /** Whether every name comes back from an update as it is. */
    boolean areWellFormed() {
        for (int i = 0; i < size; i++) {
            if (!ValueText.isWellFormed(names[i])) {
                return false;
            }
        }
        return true;
    }

    private void rehash() {
        slots = new int[slots.length * 2];
        Arrays.fill(slots, NONE);
        for (int i = 0; i < size; i++) {
            place(i);
        }
    }

    private void place(int name) {
        int mask = slots.length - 1;
        int slot = Hash.of(names[name]) & mask;
        while (slots[slot] != NONE) {
            slot = slot + 1 & mask;
        }
        slots[slot] = name;
    }

    long bytes() {
        return 64L * size + 2 * units + 4L * slots.length;
    }
}
