package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Merges updates as Yjs' {@code mergeUpdates}: one pass over all of them, structs by descending client and ascending clock,
 * what is known already cut off, Skips over gaps. Neighbours are not joined, except a GC with one of another update that
 * it overlaps or touches. No document is built, so origins are not looked at.
 *
 * <p>All updates were checked before. A heap holds the update whose next struct is first; an update is opened when its turn
 * comes, so those that don't interleave cost three numbers each until then.
 */
final class UpdateMerger {
    private final UpdateFormat format;
    private final byte[][] updates;
    private final int maxStructs;
    private final BlockWriter out;

    /** Per update: its next struct, and what decides between equal ones. */
    private final long[] client;

    private final int[] clock;
    private final boolean[] gc;
    private final int[] turn;

    private final StructCursor[] open;
    private final int[] heap;
    private int heapSize;
    private int turns;
    private StructCursor spare;

    private boolean started;
    private long doneClient;
    private int doneEnd;

    /** A GC that may still grow; written before the next struct. */
    private int gcClock;

    private int gcLength;

    UpdateMerger(UpdateFormat format, byte[][] updates, int maxStructs) {
        this.format = format;
        this.updates = updates;
        this.maxStructs = maxStructs;
        out = new BlockWriter(format);
        client = new long[updates.length];
        clock = new int[updates.length];
        gc = new boolean[updates.length];
        turn = new int[updates.length];
        open = new StructCursor[updates.length];
        heap = new int[updates.length];
    }

    /** Tells of the first struct of an update; one without structs is not added. */
    void add(int update, StructCursor first) {
        note(update, first);
        turn[update] = update;
        heap[heapSize] = update;
        siftUp(heapSize++);
    }

    private void note(int update, StructCursor cursor) {
        client[update] = cursor.client;
        clock[update] = cursor.clock;
        gc[update] = cursor.isGc();
    }

    byte[] merge(ClockRanges deletes) throws MalformedUpdateException {
        while (heapSize > 0) {
            int update = heap[0];
            StructCursor cursor = open[update];
            if (cursor == null) {
                cursor = spare == null ? new StructCursor(maxStructs) : spare;
                spare = null;
                cursor.open(format, updates[update], false);
                open[update] = cursor;
            }
            advance(cursor);
            if (cursor.done) {
                open[update] = null;
                spare = cursor;
                heap[0] = heap[--heapSize];
            } else {
                note(update, cursor);
                turn[update] = --turns;
            }
            siftDown();
        }
        flush();
        return out.finish(deletes);
    }

    /** Writes what is new until another update may be first. */
    private void advance(StructCursor cursor) throws MalformedUpdateException {
        long first = cursor.client;
        if (started) {
            boolean passed = false;
            while (!cursor.done && cursor.client == doneClient && cursor.end() <= doneEnd) {
                cursor.next();
                passed = true;
            }
            if (cursor.done || cursor.client != first || (passed && cursor.clock > doneEnd)) {
                return;
            }
        }
        if (!started || first != doneClient || cursor.clock > doneEnd) {
            take(cursor, 0);
            cursor.next();
        } else {
            int known = doneEnd - cursor.clock;
            if (gcLength > 0 && cursor.isGc()) {
                gcLength += cursor.length - known;
                doneEnd = cursor.end();
            } else {
                take(cursor, known);
                cursor.next();
            }
        }
        while (!cursor.done && cursor.client == first && cursor.clock == doneEnd) {
            take(cursor, 0);
            cursor.next();
        }
    }

    private void take(StructCursor cursor, int known) {
        flush();
        if (cursor.isGc()) {
            gcClock = cursor.clock + known;
            gcLength = cursor.length - known;
        } else {
            out.struct(cursor, known);
        }
        started = true;
        doneClient = cursor.client;
        doneEnd = cursor.end();
    }

    private void flush() {
        if (gcLength > 0) {
            out.gc(doneClient, gcClock, gcLength);
            gcLength = 0;
        }
    }

    private boolean before(int a, int b) {
        if (client[a] != client[b]) {
            return client[a] > client[b];
        }
        if (clock[a] != clock[b]) {
            return clock[a] < clock[b];
        }
        // Yjs' comparison of a GC with an item says "less" both ways, so there it depends on the sort; a GC is smaller.
        return gc[a] == gc[b] ? turn[a] < turn[b] : gc[a];
    }

    private void siftUp(int at) {
        int child = at;
        while (child > 0 && before(heap[child], heap[(child - 1) >>> 1])) {
            swap(child, (child - 1) >>> 1);
            child = (child - 1) >>> 1;
        }
    }

    private void siftDown() {
        int root = 0;
        int child = 1;
        while (child < heapSize) {
            if (child + 1 < heapSize && before(heap[child + 1], heap[child])) {
                child++;
            }
            if (!before(heap[child], heap[root])) {
                return;
            }
            swap(root, child);
            root = child;
            child = 2 * root + 1;
        }
    }

    private void swap(int i, int j) {
        int moved = heap[i];
        heap[i] = heap[j];
        heap[j] = moved;
    }

    /** One update with its clients in the order all others have them, from structs that came in any order. */
    static byte[] reordered(UpdateFormat format, byte[] update, int maxStructs) throws MalformedUpdateException {
        StructBuffer structs = new StructBuffer();
        ClockRanges deletes = new ClockRanges();
        new UpdateDecoder().decode(format, update, 0, update.length, maxStructs, structs, deletes);
        int[] order = order(structs);
        BlockWriter out = new BlockWriter(format);
        int end = 0;
        for (int i = 0; i < order.length; i++) {
            int s = order[i];
            if (i == 0 || structs.client[s] != structs.client[order[i - 1]]) {
                end = 0;
            }
            if (structs.end(s) > end) {
                out.struct(structs, s, Math.max(0, end - structs.clock[s]));
                end = structs.end(s);
            }
        }
        return out.finish(deletes);
    }

    private static int[] order(StructBuffer structs) {
        // Blocks come whole, so this is a merge of few runs.
        Integer[] boxed = new Integer[structs.size];
        Arrays.setAll(boxed, i -> i);
        Arrays.sort(
                boxed,
                (a, b) -> structs.client[a] != structs.client[b]
                        ? Long.compare(structs.client[b], structs.client[a])
                        : Integer.compare(structs.clock[a], structs.clock[b]));
        int[] order = new int[boxed.length];
        Arrays.setAll(order, i -> boxed[i]);
        return order;
    }
}
