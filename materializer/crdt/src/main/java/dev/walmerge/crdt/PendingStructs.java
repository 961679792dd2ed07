package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Structs that wait: a gap in their own client's clocks is before them, or something they refer to is not here. One
 * queue a client, ordered by clock.
 */
final class PendingStructs {
    private static final int NONE = -1;

    private StructBuffer structs = new StructBuffer();
    private final LongIntMap queueOf = new LongIntMap();
    private long[] client = {};
    private int[][] queue = {};
    private int[] head = {};
    private int[] tail = {};
    private int queues;
    private int waiting;
    private int[] stack = {};

    boolean isEmpty() {
        return waiting == 0;
    }

    int size() {
        return waiting;
    }

    StructBuffer structs() {
        return structs;
    }

    long bytes() {
        return structs.bytes() + 4L * structs.clock.length;
    }

    /** Copies a struct in, unless one that waits already covers it. What was typed waits as it came, unit by unit. */
    void add(StructBuffer from, int i) {
        int pieces = from.pieces(i);
        if (pieces == 1) {
            addOne(from, i);
            return;
        }
        StructBuffer piece = new StructBuffer();
        piece.copy(from, i);
        for (int n = 0; n < pieces; n++) {
            piece.length[0] = 1;
            addOne(piece, 0);
            piece.cutTyped(0, 1);
        }
    }

    private void addOne(StructBuffer from, int i) {
        int q = queueFor(from.client[i]);
        int at = positionAfter(q, from.clock[i]);
        if (at > head[q] && structs.end(queue[q][at - 1]) >= from.end(i)) {
            return;
        }
        if (at == head[q]) {
            roomInFront(q);
            queue[q][--head[q]] = structs.copy(from, i);
        } else {
            if (tail[q] == queue[q].length) {
                queue[q] = Arrays.copyOf(queue[q], Math.max(4, tail[q] * 2));
            }
            System.arraycopy(queue[q], at, queue[q], at + 1, tail[q] - at);
            queue[q][at] = structs.copy(from, i);
            tail[q]++;
        }
        waiting++;
    }

    /** What comes in reverse order goes to the front each time. */
    private void roomInFront(int q) {
        if (head[q] == 0) {
            int count = tail[q];
            int[] wider = new int[Math.max(4, count * 2)];
            System.arraycopy(queue[q], 0, wider, wider.length - count, count);
            queue[q] = wider;
            head[q] = wider.length - count;
            tail[q] = wider.length;
        }
    }

    private int queueFor(long ofClient) {
        int q = queueOf.get(ofClient);
        if (q == NONE) {
            if (queues == client.length) {
                int capacity = Math.max(2, queues * 2);
                client = Arrays.copyOf(client, capacity);
                queue = Arrays.copyOf(queue, capacity);
                head = Arrays.copyOf(head, capacity);
                tail = Arrays.copyOf(tail, capacity);
                stack = Arrays.copyOf(stack, capacity);
            }
            q = queues++;
            client[q] = ofClient;
            queue[q] = new int[4];
            head[q] = 0;
            tail[q] = 0;
            queueOf.put(ofClient, q);
        }
        return q;
    }

    /** Where a struct of this clock goes: behind those that begin at it or before. */
    private int positionAfter(int q, int clock) {
        int low = head[q];
        int high = tail[q];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (structs.clock[queue[q][middle]] <= clock) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Integrates all that can be. A queue that waits for another one is woken when that has come far enough. */
    void drain(StructStore store, Integrator integrator) {
        Waiters waiters = new Waiters();
        int depth = 0;
        for (int q = queues - 1; q >= 0; q--) {
            stack[depth++] = q;
        }
        // A queue is on the stack or waits, never both, so the stack has room for all.
        while (depth > 0) {
            int q = stack[--depth];
            int blocker = NONE;
            while (head[q] < tail[q]) {
                blocker = blocker(q, store, integrator);
                if (blocker != NONE) {
                    break;
                }
                integrateHead(q, store, integrator);
            }
            if (head[q] < tail[q] && blocker != q) {
                waiters.add(blocker, integrator.missingClock, q);
            }
            int state = store.clients.stateOf(client[q]);
            for (int woken = waiters.take(q, state); woken != NONE; woken = waiters.take(q, state)) {
                stack[depth++] = woken;
            }
        }
        if (waiting == 0) {
            reset();
        } else if (structs.size > 64 && structs.size > waiting * 2) {
            compact();
        }
    }

    private void integrateHead(int q, StructStore store, Integrator integrator) {
        int i = queue[q][head[q]++];
        waiting--;
        int offset = store.clients.stateOf(client[q]) - structs.clock[i];
        if (offset < structs.length[i]) {
            integrator.integrate(structs, i, offset);
        }
    }

    /** NONE when the head is ready, its own queue when nothing else here can help it, else the queue it waits for. */
    private int blocker(int q, StructStore store, Integrator integrator) {
        int i = queue[q][head[q]];
        int state = store.clients.stateOf(client[q]);
        if (structs.clock[i] > state) {
            return q;
        }
        if (structs.end(i) <= state || integrator.ready(structs, i)) {
            return NONE;
        }
        int other = queueOf.get(integrator.missingClient);
        return other == NONE ? q : other;
    }

    /** Hands all that waits to another one, behind what begins at the same clock there. */
    void moveTo(PendingStructs other) {
        for (int q = 0; q < queues; q++) {
            for (int at = head[q]; at < tail[q]; at++) {
                other.add(structs, queue[q][at]);
            }
        }
    }

    private void reset() {
        structs.clear();
        queueOf.clear();
        queues = 0;
        if (client.length > 64) {
            client = new long[0];
            queue = new int[0][];
            head = new int[0];
            tail = new int[0];
            stack = new int[0];
        }
    }

    private void compact() {
        StructBuffer kept = new StructBuffer();
        for (int q = 0; q < queues; q++) {
            int n = 0;
            for (int at = head[q]; at < tail[q]; at++) {
                queue[q][n++] = kept.copy(structs, queue[q][at]);
            }
            head[q] = 0;
            tail[q] = n;
        }
        structs = kept;
    }

    /** The first struct of each client that waits. */
    BlockedHeads heads() {
        BlockedHeads heads = new BlockedHeads(structs);
        for (int q = 0; q < queues; q++) {
            if (head[q] < tail[q]) {
                heads.add(client[q], queue[q][head[q]]);
            }
        }
        return heads;
    }

    /** The queue of a client, or NONE. */
    int queueOf(long ofClient) {
        int q = queueOf.get(ofClient);
        return q != NONE && head[q] < tail[q] ? q : NONE;
    }

    int queueCount() {
        return queues;
    }

    long clientOf(int q) {
        return client[q];
    }

    int headOf(int q) {
        return head[q];
    }

    int tailOf(int q) {
        return tail[q];
    }

    int structAt(int q, int position) {
        return queue[q][position];
    }
}
