package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * The shared types of a document, roots and nested ones, and the last item of each map key.
 *
 * <p>A type is a small index. The entries of a map hang on its type in the order their keys came up. The first few are found by
 * looking at them, the others by a hash of (type, key): most maps have few keys. The slot of a collected type is used again.
 */
final class TypeTable {
    static final int NONE = -1;

    /** The entries of a type that are looked at. */
    private static final int FEW = 8;

    private final LongIntMap entries = new LongIntMap();
    private final LongIntMap rootsByName = new LongIntMap();

    /** The first item of the list part. */
    int[] start = {};

    /** The item that holds the type; NONE for a root. */
    int[] item = {};

    /** A {@link TypeRef}. */
    int[] ref = {};

    /** The name of a root, an element or a hook. */
    int[] name = {};

    int[] firstEntry = {};
    private int[] lastEntry = {};
    int size;
    private int free = NONE;

    int[] entryKey = {};

    /** The item a key holds now: the last of its chain. */
    int[] entryItem = {};

    /** The first item of its chain. */
    int[] entryFirst = {};

    int[] entryNext = {};
    private int entryCount;
    private int freeEntry = NONE;

    // What was looked for last, and what came of it.
    private int foundType = NONE;
    private int foundKey;
    private int found;

    int findRoot(int rootName) {
        return rootsByName.get(rootName);
    }

    int root(int rootName) {
        int found = rootsByName.get(rootName);
        if (found == NONE) {
            found = add(TypeRef.ROOT, NONE, rootName);
            rootsByName.put(rootName, found);
        }
        return found;
    }

    int add(int typeRef, int holder, int typeName) {
        int t = free;
        if (t != NONE) {
            free = start[t];
        } else {
            if (size == start.length) {
                grow(Math.max(2, size * 2));
            }
            t = size++;
        }
        start[t] = NONE;
        item[t] = holder;
        ref[t] = typeRef;
        name[t] = typeName;
        firstEntry[t] = NONE;
        lastEntry[t] = NONE;
        return t;
    }

    private void grow(int capacity) {
        start = Arrays.copyOf(start, capacity);
        item = Arrays.copyOf(item, capacity);
        ref = Arrays.copyOf(ref, capacity);
        name = Arrays.copyOf(name, capacity);
        firstEntry = Arrays.copyOf(firstEntry, capacity);
        lastEntry = Arrays.copyOf(lastEntry, capacity);
    }

    boolean isRoot(int t) {
        return ref[t] == TypeRef.ROOT;
    }

    /** The current item of a key, or NONE. */
    int last(int t, int key) {
        int entry = find(t, key);
        return entry == NONE ? NONE : entryItem[entry];
    }

    /** The first item of the chain of a key, or NONE. */
    int first(int t, int key) {
        int entry = find(t, key);
        return entry == NONE ? NONE : entryFirst[entry];
    }

    /** A key is looked up several times while an item is put at it. */
    private int find(int t, int key) {
        if (foundType != t || foundKey != key) {
            found = search(t, key);
            foundType = t;
            foundKey = key;
        }
        return found;
    }

    private int search(int t, int key) {
        int entry = firstEntry[t];
        for (int i = 0; i < FEW && entry != NONE; i++) {
            if (entryKey[entry] == key) {
                return entry;
            }
            entry = entryNext[entry];
        }
        return entry == NONE ? NONE : entries.get(pack(t, key));
    }

    private boolean hasFew(int t) {
        int entry = firstEntry[t];
        int count = 0;
        while (count < FEW && entry != NONE) {
            entry = entryNext[entry];
            count++;
        }
        return count < FEW;
    }

    void setLast(int t, int key, int struct) {
        int entry = entry(t, key);
        entryItem[entry] = struct;
    }

    void setFirst(int t, int key, int struct) {
        int entry = entry(t, key);
        entryFirst[entry] = struct;
    }

    private int entry(int t, int key) {
        int entry = find(t, key);
        if (entry == NONE) {
            entry = newEntry();
            entryKey[entry] = key;
            entryItem[entry] = NONE;
            entryFirst[entry] = NONE;
            entryNext[entry] = NONE;
            if (!hasFew(t)) {
                entries.put(pack(t, key), entry);
            }
            if (lastEntry[t] == NONE) {
                firstEntry[t] = entry;
            } else {
                entryNext[lastEntry[t]] = entry;
            }
            lastEntry[t] = entry;
            found = entry;
        }
        return entry;
    }

    private int newEntry() {
        int entry = freeEntry;
        if (entry != NONE) {
            freeEntry = entryNext[entry];
            return entry;
        }
        if (entryCount == entryKey.length) {
            int capacity = Math.max(2, entryCount * 2);
            entryKey = Arrays.copyOf(entryKey, capacity);
            entryItem = Arrays.copyOf(entryItem, capacity);
            entryFirst = Arrays.copyOf(entryFirst, capacity);
            entryNext = Arrays.copyOf(entryNext, capacity);
        }
        return entryCount++;
    }

    /** Gives back the slot of a type whose items are all gone. */
    void remove(int t) {
        foundType = NONE;
        int seen = 0;
        for (int entry = firstEntry[t]; entry != NONE; seen++) {
            int next = entryNext[entry];
            if (seen >= FEW) {
                entries.remove(pack(t, entryKey[entry]));
            }
            entryNext[entry] = freeEntry;
            freeEntry = entry;
            entry = next;
        }
        firstEntry[t] = NONE;
        lastEntry[t] = NONE;
        item[t] = NONE;
        start[t] = free;
        free = t;
    }

    private static long pack(int t, int key) {
        return (long) t << 32 | key;
    }

    long bytes() {
        return 24L * start.length + 16L * entryKey.length + entries.bytes() + rootsByName.bytes();
    }
}
