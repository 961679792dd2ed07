package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Who waits for which clock of which client. Whoever moves a client on takes those out whose clock has come, so that
 * each wait is looked at once, however many others go on waiting. Clients and waiters are small indexes.
 */
final class Waiters {
    static final int NONE = -1;

    /** By client a heap of {@code clock << 32 | waiter}. */
    private long[][] heaps = {};

    private int[] counts = {};

    void add(int client, int clock, int waiter) {
        if (client >= heaps.length) {
            int capacity = Math.max(client + 1, heaps.length * 2);
            heaps = Arrays.copyOf(heaps, capacity);
            counts = Arrays.copyOf(counts, capacity);
        }
        long[] heap = heaps[client];
        int at = counts[client]++;
        if (heap == null || at == heap.length) {
            heap = heap == null ? new long[2] : Arrays.copyOf(heap, at * 2);
            heaps[client] = heap;
        }
        long entry = (long) clock << 32 | waiter;
        while (at > 0 && heap[(at - 1) >>> 1] > entry) {
            heap[at] = heap[(at - 1) >>> 1];
            at = (at - 1) >>> 1;
        }
        heap[at] = entry;
    }

    /** Takes out one that waits for a clock below {@code state} of the client; NONE when nobody does. */
    int take(int client, int state) {
        if (client >= heaps.length || counts[client] == 0 || (int) (heaps[client][0] >>> 32) >= state) {
            return NONE;
        }
        long[] heap = heaps[client];
        int waiter = (int) heap[0];
        int count = --counts[client];
        long last = heap[count];
        int at = 0;
        for (int child = 1; child < count; child = 2 * at + 1) {
            if (child + 1 < count && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= last) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = last;
        return waiter;
    }
}
