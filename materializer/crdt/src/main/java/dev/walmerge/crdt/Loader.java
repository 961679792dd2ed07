package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Brings the structs of a whole state into an empty document. Those that belong right between their origins, as nearly all
 * do, are linked there in a tight loop, and their origins found by a table of where structs end; it stops at any other,
 * which is then {@link Integrator}'s.
 *
 * <p>What the table says is checked, so it may fail to know a struct but never name another.
 */
final class Loader {
    private static final int NONE = StructStore.NONE;

    /** So few at a time that a process that has just started compiles the loop early. */
    private static final int BATCH = 32;

    /** How many rows are looked at from where the table points to. */
    private static final int WALK = 16;

    private final StructStore store;
    private final StructBuffer in;
    private final Merge merge;

    /** By client index: the row of the last struct that ends in each 2^shift clocks. */
    private int[][] tables = {};

    private int[] shifts = {};

    /** A list whose items aren't deleted with it. */
    private int liveParent = NONE;

    Loader(StructStore store, StructBuffer in, Merge merge) {
        this.store = store;
        this.in = in;
        this.merge = merge;
    }

    /** Adds structs from {@code from} on, all of one client, and returns how many; 0 when the next one is not for here. */
    int add(int from) {
        long id = in.client[from];
        int c = store.clients.find(id);
        if (c == NONE || in.clock[from] != store.clients.state[c]) {
            return 0;
        }
        int[] table = table(from, c);
        int shift = shifts[c];
        int first = store.used;
        int most = Math.min(BATCH, Math.min(in.size - from, store.clock.length - first));
        int state = in.clock[from];
        int newest = store.clients.structs[c].newest();
        if ((state - 1) >>> shift >= table.length) {
            return 0;
        }
        table[(state - 1) >>> shift] = newest;
        liveParent = NONE;
        int n = 0;
        while (n < most) {
            int i = from + n;
            int kind = in.info[i] & ~StructBuffer.HAS_RIGHT_ORIGIN & ~StructBuffer.HAS_ORIGIN;
            boolean next = in.client[i] == id && in.clock[i] == state && (in.end(i) - 1) >>> shift < table.length;
            if (!next || (kind != Kind.STRING && kind != Kind.DELETED)) {
                break;
            }
            int at = in.originClock[i];
            int left = newest;
            int leftClient = c;
            if (in.originClient[i] != id) {
                leftClient = store.clients.find(in.originClient[i]);
                left = ending(leftClient, at);
            } else if (at != state - 1) {
                left = ending(table, shift, c, at);
            }
            if (left == NONE || !fits(i, left)) {
                break;
            }
            newest = first + n++;
            put(i, newest, kind, left);
            store.client.set(newest, c);
            store.originClient.set(newest, leftClient);
            state += in.length[i];
            table[(state - 1) >>> shift] = newest;
        }
        if (n > 0) {
            merge.touch(c);
            store.addRows(c, n, state);
        }
        return n;
    }

    /** Whether an item is to lie in a list that lives, with its right origin, or the end, right behind {@code left}. */
    private boolean fits(int i, int left) {
        int parent = store.parent.get(left);
        int next = store.right[left];
        if (!in.has(i, StructBuffer.HAS_ORIGIN)
                || parent == NONE
                || store.parentSub.get(left) != NONE
                || in.has(i, StructBuffer.HAS_RIGHT_ORIGIN) != (next != NONE)) {
            return false;
        }
        if (next != NONE
                && (store.clock[next] != in.rightClock[i]
                        || store.clients.id[store.client.get(next)] != in.rightClient[i])) {
            return false;
        }
        if (parent != liveParent) {
            int holder = store.types.item[parent];
            if (holder != NONE && store.isDeleted(holder)) {
                return false;
            }
            liveParent = parent;
        }
        return true;
    }

    /** Fills a row, whose other columns are still as a new row's, and links it. */
    private void put(int i, int s, int kind, int left) {
        int next = store.right[left];
        store.clock[s] = in.clock[i];
        store.length.set(s, in.length[i]);
        store.right[s] = next;
        store.right[left] = s;
        store.setLeft(s, left);
        store.originClock[s] = in.originClock[i];
        if (next != NONE) {
            store.setLeft(next, s);
            store.rightClient.set(s, store.client.get(next));
            store.rightClock[s] = in.rightClock[i];
        } else {
            store.rightClock[s] = NONE;
        }
        store.parent.set(s, store.parent.get(left));
        store.setKind(s, kind);
        if (kind == Kind.STRING) {
            store.content[s] = store.contents.addUnits(in.units, in.content[i], in.length[i]);
        }
    }

    /** The struct of another client that ends with a clock, or NONE when it isn't known. */
    private int ending(int c, int at) {
        return c == NONE || c >= tables.length ? NONE : ending(tables[c], shifts[c], c, at);
    }

    private int ending(int[] table, int shift, int c, int at) {
        int slot = at >>> shift;
        if (table == null || slot >= table.length) {
            return NONE;
        }
        int s = table[slot];
        int last = Math.max(0, s - WALK);
        while (store.clock[s] > at && s > last) {
            s--;
        }
        return store.client.get(s) == c && store.end(s) - 1 == at ? s : NONE;
    }

    /** The table of a client whose structs begin here: a few entries a struct, however long these are. */
    private int[] table(int from, int c) {
        if (c >= tables.length) {
            tables = Arrays.copyOf(tables, c * 2 + 1);
            shifts = Arrays.copyOf(shifts, c * 2 + 1);
        }
        if (tables[c] == null) {
            int end = from;
            while (end < in.size && in.client[end] == in.client[from]) {
                end++;
            }
            int shift = 0;
            while ((in.end(end - 1) - 1) >>> shift >= 4 * (end - from)) {
                shift++;
            }
            shifts[c] = shift;
            tables[c] = new int[((in.end(end - 1) - 1) >>> shift) + 1];
        }
        return tables[c];
    }
}
