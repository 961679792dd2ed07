package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * A growable list of {@code (client, clock, length)}: a delete set, or the parts of a document a merge touched.
 *
 * <p>What a client is (an id or an index) is the user's business.
 */
final class ClockRanges {
    long[] client = {};
    int[] clock = {};
    int[] length = {};
    int size;

    void add(long ofClient, int from, int count) {
        if (size == clock.length) {
            int capacity = Math.max(4, size + (size >> 1));
            client = Arrays.copyOf(client, capacity);
            clock = Arrays.copyOf(clock, capacity);
            length = Arrays.copyOf(length, capacity);
        }
        client[size] = ofClient;
        clock[size] = from;
        length[size] = count;
        size++;
    }

    /** Adds a range to the last one when they touch, as those of somebody who erases do. */
    void grow(long ofClient, int from, int count) {
        int last = size - 1;
        if (last >= 0 && client[last] == ofClient) {
            if (from + count == clock[last]) {
                clock[last] = from;
                length[last] += count;
                return;
            }
            if (from == end(last)) {
                length[last] += count;
                return;
            }
        }
        add(ofClient, from, count);
    }

    void addAll(ClockRanges other) {
        for (int i = 0; i < other.size; i++) {
            add(other.client[i], other.clock[i], other.length[i]);
        }
    }

    void clear() {
        size = 0;
        if (clock.length > 128) {
            client = new long[0];
            clock = new int[0];
            length = new int[0];
        }
    }

    boolean sameAs(ClockRanges other) {
        return Arrays.equals(client, 0, size, other.client, 0, other.size)
                && Arrays.equals(clock, 0, size, other.clock, 0, other.size)
                && Arrays.equals(length, 0, size, other.length, 0, other.size);
    }

    int end(int i) {
        return clock[i] + length[i];
    }

    /** The index behind the last entry of the client at {@code from}. */
    int endOfClient(int from) {
        int i = from;
        while (i < size && client[i] == client[from]) {
            i++;
        }
        return i;
    }

    long bytes() {
        return 16L * clock.length;
    }

    /** Orders by client, higher ones first as Yjs writes them, then by clock, and joins what touches. */
    void sortAndMerge() {
        if (size < 2) {
            return;
        }
        if (!sorted()) {
            sort();
        }
        int kept = 0;
        for (int i = 1; i < size; i++) {
            if (client[i] == client[kept] && clock[i] <= end(kept)) {
                length[kept] = Math.max(end(kept), end(i)) - clock[kept];
            } else {
                kept++;
                client[kept] = client[i];
                clock[kept] = clock[i];
                length[kept] = length[i];
            }
        }
        size = kept + 1;
    }

    /** Adds ranges to sorted ones; both are sorted and merged, and so is the result. */
    void mergeSorted(ClockRanges other) {
        int mine = size - 1;
        int theirs = other.size - 1;
        for (int i = 0; i < other.size; i++) {
            add(0, 0, 0);
        }
        for (int to = size - 1; theirs >= 0; to--) {
            boolean mineIsLater = mine >= 0 && before(other.client[theirs], other.clock[theirs], this, mine);
            ClockRanges from = mineIsLater ? this : other;
            int i = mineIsLater ? mine-- : theirs--;
            client[to] = from.client[i];
            clock[to] = from.clock[i];
            length[to] = from.length[i];
        }
        sortAndMerge();
    }

    /** The first range of a client in sorted ones, or where it would be. */
    int firstOf(long ofClient) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (client[middle] > ofClient) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Takes out {@code [from, to)}. */
    void remove(int from, int to) {
        if (from < to) {
            System.arraycopy(client, to, client, from, size - to);
            System.arraycopy(clock, to, clock, from, size - to);
            System.arraycopy(length, to, length, from, size - to);
            size -= to - from;
        }
    }

    void cutFront(int i, int from) {
        length[i] = end(i) - from;
        clock[i] = from;
    }

    private boolean sorted() {
        for (int i = 1; i < size; i++) {
            if (before(client[i], clock[i], i - 1)) {
                return false;
            }
        }
        return true;
    }

    private boolean before(long ofClient, int ofClock, int j) {
        return before(ofClient, ofClock, this, j);
    }

    private static boolean before(long ofClient, int ofClock, ClockRanges in, int j) {
        return ofClient > in.client[j] || (ofClient == in.client[j] && ofClock < in.clock[j]);
    }

    /** Heapsort: the order of what arrives is the sender's choice, and no order may cost more than another. */
    private void sort() {
        for (int root = size / 2 - 1; root >= 0; root--) {
            siftDown(root, size);
        }
        for (int end = size - 1; end > 0; end--) {
            swap(0, end);
            siftDown(0, end);
        }
    }

    private void siftDown(int from, int end) {
        int root = from;
        int child = 2 * root + 1;
        while (child < end) {
            if (child + 1 < end && before(client[child], clock[child], child + 1)) {
                child++;
            }
            if (!before(client[root], clock[root], child)) {
                return;
            }
            swap(root, child);
            root = child;
            child = 2 * root + 1;
        }
    }

    private void swap(int i, int j) {
        long otherClient = client[i];
        client[i] = client[j];
        client[j] = otherClient;
        int otherClock = clock[i];
        clock[i] = clock[j];
        clock[j] = otherClock;
        int otherLength = length[i];
        length[i] = length[j];
        length[j] = otherLength;
    }
}
