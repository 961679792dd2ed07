package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Foretells, from clocks alone and without touching the document, how much of an update would have to wait. What waits
 * already is taken to go on waiting, so the answer errs on the high side.
 */
final class Parking {
    private final StructStore store;
    private final StructBuffer in;
    private final LongIntMap states = new LongIntMap();
    private final LongIntMap indexes = new LongIntMap();
    private int clients;
    private long missingClient;
    private int missingClock;
    private long structs;
    private long bytes;

    Parking(OpenDoc doc, StructBuffer in, ClockRanges deletes) {
        this.store = doc.store;
        this.in = in;
        structs = doc.pendingStructs.size();
        bytes = doc.pendingStructs.bytes() + doc.pendingDeletes.bytes() + deletes.bytes();
    }

    long structs() {
        return structs;
    }

    long bytes() {
        return bytes;
    }

    void predict() {
        int[] cursor = new int[16];
        int[] end = new int[16];
        int blocks = 0;
        for (int i = 0; i < in.size; ) {
            if (blocks == cursor.length) {
                cursor = Arrays.copyOf(cursor, blocks * 2);
                end = Arrays.copyOf(end, blocks * 2);
            }
            cursor[blocks] = i;
            while (i < in.size && in.client[i] == in.client[cursor[blocks]]) {
                i++;
            }
            end[blocks++] = i;
        }
        Waiters waiters = new Waiters();
        int[] stack = new int[blocks];
        int depth = 0;
        for (int b = blocks - 1; b >= 0; b--) {
            stack[depth++] = b;
        }
        while (depth > 0) {
            int b = stack[--depth];
            while (cursor[b] < end[b] && fits(cursor[b])) {
                cursor[b]++;
            }
            if (cursor[b] < end[b]) {
                waiters.add(indexOf(missingClient), missingClock, b);
            }
            long own = in.client[end[b] - 1];
            int state = state(own);
            for (int w = waiters.take(indexOf(own), state); w != Waiters.NONE; w = waiters.take(indexOf(own), state)) {
                stack[depth++] = w;
            }
        }
        for (int b = 0; b < blocks; b++) {
            for (int i = cursor[b]; i < end[b]; i++) {
                structs += in.pieces(i);
                bytes += 60L * in.pieces(i) + (in.kind(i) == Kind.STRING ? 2L * in.length[i] : in.contentBytes[i]);
            }
        }
    }

    private boolean fits(int i) {
        int state = state(in.client[i]);
        if (in.clock[i] > state) {
            missingClient = in.client[i];
            missingClock = in.clock[i] - 1;
            return false;
        }
        if (in.end(i) > state) {
            boolean early = (in.has(i, StructBuffer.HAS_ORIGIN | StructBuffer.PARENT_ID)
                            && lacks(i, in.originClient[i], in.originClock[i]))
                    || (in.has(i, StructBuffer.HAS_RIGHT_ORIGIN) && lacks(i, in.rightClient[i], in.rightClock[i]));
            if (early) {
                return false;
            }
            states.put(in.client[i], in.end(i));
        }
        return true;
    }

    private boolean lacks(int i, long client, int clock) {
        if (client == in.client[i] || clock < state(client)) {
            return false;
        }
        missingClient = client;
        missingClock = clock;
        return true;
    }

    private int indexOf(long client) {
        int index = indexes.get(client);
        if (index == LongIntMap.NONE) {
            index = clients++;
            indexes.put(client, index);
        }
        return index;
    }

    private int state(long client) {
        int known = states.get(client);
        return known == LongIntMap.NONE ? store.clients.stateOf(client) : known;
    }
}
