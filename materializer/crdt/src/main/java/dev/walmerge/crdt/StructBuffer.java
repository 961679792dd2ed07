package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Decoded structs that are not in a document: an update being applied, or what is pending. Ids are raw client ids, and
 * content lies in the buffer's own stores, so nothing refers to the bytes it came from.
 *
 * <p>{@code originClient}/{@code originClock} hold the parent's id when {@link #PARENT_ID} is set: an update names a
 * parent only for an item without origins.
 */
final class StructBuffer {
    private static final int SUBS = 16;

    static final int HAS_ORIGIN = 0x80;
    static final int HAS_RIGHT_ORIGIN = 0x40;
    static final int HAS_SUB = 0x20;
    static final int PARENT_ROOT = 0x100;
    static final int PARENT_ID = 0x200;

    /** Each unit of the text came as a struct of its own; see {@link #joinTyped}. */
    static final int TYPED = 0x400;

    private static final long ROW_BYTES = 54;

    long[] client = {};
    int[] clock = {};
    int[] length = {};
    short[] info = {};
    long[] originClient = {};
    int[] originClock = {};
    long[] rightClient = {};
    int[] rightClock = {};
    int[] content = {};
    int[] contentBytes = {};
    String[] root = {};
    String[] sub = {};
    String[] key = {};

    /** What the keys of maps that came lately are in a document: the same string objects, as {@link NamesRead} gives them. */
    private String[] subs = {};

    private int[] subNames = {};
    private Names subsOf;

    int size;

    /** Rows below were written since the columns were made; all others are zero. */
    private int written;

    /** How many structs came, typed ones counted one by one. */
    int structs;

    /** False while an update is only checked: each struct overwrites the one before. */
    boolean keep = true;

    Units units = new Units();
    ByteWriter blob = new ByteWriter(0);

    /** Forgets content that someone else keeps now. */
    void giveContentAway() {
        units = new Units();
        blob = new ByteWriter(0);
    }

    void clear() {
        if (clock.length > 256) {
            resize(0);
        } else {
            Arrays.fill(root, 0, Math.min(size, root.length), null);
            Arrays.fill(sub, 0, Math.min(size, sub.length), null);
            Arrays.fill(key, 0, Math.min(size, key.length), null);
        }
        subsOf = null;
        size = 0;
        structs = 0;
        units.clear();
        blob.shrink(4096);
    }

    /** Empties it for one struct at a time, keeping its room. */
    void restart() {
        size = 0;
        structs = 0;
        units.restart();
        blob.clear();
        if (root.length > 0) {
            root[0] = null;
        }
        if (sub.length > 0) {
            sub[0] = null;
        }
        if (key.length > 0) {
            key[0] = null;
        }
    }

    /** Prepares for {@code more} structs that are known to be there; there will be {@code most} at most. */
    void reserve(int more, long most) {
        if (keep && more > clock.length - size) {
            resize((int) Math.max(size + more, Math.min(2L * size, most)));
        }
    }

    /** The struct {@link #next} began is complete; {@code real} unless it says nothing. */
    void commit(boolean real) {
        if (real && keep) {
            size++;
            structs++;
        } else if (!keep) {
            units.restart();
            blob.clear();
        }
    }

    /**
     * Makes the last struct part of the one before it when both are what somebody typed: single units, each behind the one
     * before and with the same right origin. They are integrated as a run, but wait one by one, as Yjs keeps them.
     */
    boolean joinTyped() {
        int i = size - 1;
        int before = i - 1;
        if (before < 0
                || length[i] != 1
                || kind(before) != Kind.STRING
                || (length[before] != 1 && !has(before, TYPED))) {
            return false;
        }
        int bits = info[i];
        boolean behind = (bits & ~HAS_RIGHT_ORIGIN) == (Kind.STRING | HAS_ORIGIN)
                && originClock[i] == clock[i] - 1
                && end(before) == clock[i]
                && originClient[i] == client[i]
                && client[before] == client[i];
        boolean sameRight = (info[before] & HAS_RIGHT_ORIGIN) == (bits & HAS_RIGHT_ORIGIN)
                && rightClock[before] == rightClock[i]
                && rightClient[before] == rightClient[i];
        if (behind && sameRight) {
            length[before]++;
            info[before] |= TYPED;
            size--;
            return true;
        }
        return false;
    }

    /** One more unit of the last struct, which is typed. */
    void addTyped(byte ascii) {
        length[size - 1]++;
        structs++;
        units.add(ascii);
    }

    /** Drops the first {@code count} units of a typed run; what is left has the last of them as its origin. */
    void cutTyped(int i, int count) {
        clock[i] += count;
        length[i] -= count;
        content[i] += count;
        originClient[i] = client[i];
        originClock[i] = clock[i] - 1;
        info[i] = (short) (Kind.STRING | HAS_ORIGIN | TYPED | (info[i] & HAS_RIGHT_ORIGIN));
    }

    /** How many structs this one came as. */
    int pieces(int i) {
        return has(i, TYPED) ? length[i] : 1;
    }

    /** A new struct with its numbers zero; the caller fills and commits it. */
    int next() {
        if (size == clock.length) {
            resize(Math.max(4, size + (size >> 1)));
        }
        if (size < written) {
            reset(size);
        } else {
            written = size + 1;
        }
        return size;
    }

    /** Clears a row: what was in it may have left numbers, and a name even when it was refused or dropped. */
    private void reset(int i) {
        info[i] = 0;
        originClient[i] = 0;
        originClock[i] = 0;
        rightClient[i] = 0;
        rightClock[i] = 0;
        content[i] = 0;
        contentBytes[i] = 0;
        forget(root, i);
        forget(sub, i);
        forget(key, i);
    }

    private static void forget(String[] names, int i) {
        if (i < names.length) {
            names[i] = null;
        }
    }

    private void resize(int capacity) {
        written = Math.min(written, capacity);
        client = Arrays.copyOf(client, capacity);
        clock = Arrays.copyOf(clock, capacity);
        length = Arrays.copyOf(length, capacity);
        info = Arrays.copyOf(info, capacity);
        originClient = Arrays.copyOf(originClient, capacity);
        originClock = Arrays.copyOf(originClock, capacity);
        rightClient = Arrays.copyOf(rightClient, capacity);
        rightClock = Arrays.copyOf(rightClock, capacity);
        content = Arrays.copyOf(content, capacity);
        contentBytes = Arrays.copyOf(contentBytes, capacity);
        root = Arrays.copyOf(root, Math.min(root.length, capacity));
        sub = Arrays.copyOf(sub, Math.min(sub.length, capacity));
        key = Arrays.copyOf(key, Math.min(key.length, capacity));
    }

    /** The rows by descending client, which is the order Yjs takes them in; null when they lie so already. */
    int[] byClientDescending() {
        int first = 1;
        while (first < size && client[first] <= client[first - 1]) {
            first++;
        }
        if (first >= size) {
            return null;
        }
        ClockRanges blocks = new ClockRanges();
        for (int i = 0, from = 0; i < size; i++) {
            if (i + 1 == size || client[i + 1] != client[i]) {
                blocks.add(client[i], from, i + 1 - from);
                from = i + 1;
            }
        }
        blocks.sortAndMerge();
        int[] order = new int[size];
        int count = 0;
        for (int b = 0; b < blocks.size; b++) {
            for (int i = blocks.clock[b]; i < blocks.end(b); i++) {
                order[count++] = i;
            }
        }
        return order;
    }

    int kind(int i) {
        return info[i] & Kind.MASK;
    }

    boolean has(int i, int bit) {
        return (info[i] & bit) != 0;
    }

    int end(int i) {
        return clock[i] + length[i];
    }

    /** The names are rare, so their columns grow only when one is set. */
    void setRoot(int i, String name) {
        if (i >= root.length) {
            root = Arrays.copyOf(root, clock.length);
        }
        root[i] = name;
    }

    void setSub(int i, String name) {
        if (i >= sub.length) {
            sub = Arrays.copyOf(sub, clock.length);
        }
        sub[i] = name;
    }

    void setKey(int i, String name) {
        if (i >= key.length) {
            key = Arrays.copyOf(key, clock.length);
        }
        key[i] = name;
    }

    String root(int i) {
        return i < root.length ? root[i] : null;
    }

    String sub(int i) {
        return i < sub.length ? sub[i] : null;
    }

    /** The name of a struct's key in a document. */
    @SuppressWarnings("ReferenceEquality")
    int subName(int i, Names names) {
        String name = sub[i];
        int slot = name.hashCode() & SUBS - 1;
        if (subsOf != names) {
            if (subs.length == 0) {
                subs = new String[SUBS];
                subNames = new int[SUBS];
            }
            Arrays.fill(subs, null);
            subsOf = names;
        }
        if (subs[slot] != name) {
            subNames[slot] = names.intern(name);
            subs[slot] = name;
        }
        return subNames[slot];
    }

    String key(int i) {
        return i < key.length ? key[i] : null;
    }

    /** Appends a copy of a struct of another buffer. */
    int copy(StructBuffer from, int i) {
        int to = next();
        client[to] = from.client[i];
        clock[to] = from.clock[i];
        length[to] = from.length[i];
        info[to] = from.info[i];
        originClient[to] = from.originClient[i];
        originClock[to] = from.originClock[i];
        rightClient[to] = from.rightClient[i];
        rightClock[to] = from.rightClock[i];
        content[to] = from.content[i];
        contentBytes[to] = from.contentBytes[i];
        if (from.root(i) != null) {
            setRoot(to, from.root(i));
        }
        if (from.sub(i) != null) {
            setSub(to, from.sub(i));
        }
        if (from.key(i) != null) {
            setKey(to, from.key(i));
        }
        if (kind(to) == Kind.STRING) {
            content[to] = units.count;
            units.add(from.units, from.content[i], length[to]);
        } else if (Kind.inBlob(kind(to))) {
            content[to] = blob.size();
            blob.raw(from.blob.array(), from.content[i], from.contentBytes[i]);
        }
        size++;
        structs++;
        return to;
    }

    /** What {@link #bytes} would be with a row for each struct that came. */
    long waitingBytes() {
        return bytes() + ROW_BYTES * (structs - size);
    }

    long bytes() {
        return ROW_BYTES * clock.length
                + 4L * (root.length + sub.length + key.length)
                + units.bytes()
                + blob.array().length;
    }
}
