package dev.walmerge.engine.shard;

import java.util.Arrays;

/** Documents by the time at which something is to be done about them: a binary heap that knows where each one sits. */
final class DueHeap {
    static final long NEVER = Long.MAX_VALUE;

    private ResidentDocument[] heap = new ResidentDocument[64];
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /** When the first one is due, or {@link #NEVER}. */
    long nextDueNanos() {
        return count == 0 ? NEVER : heap[0].dueNanos;
    }

    /** Adds the document, or moves it; takes it out for {@link #NEVER}. */
    void put(ResidentDocument document, long dueNanos) {
        if (dueNanos == NEVER) {
            remove(document);
            return;
        }
        document.dueNanos = dueNanos;
        if (document.heapIndex == ResidentDocument.NONE) {
            if (count == heap.length) {
                heap = Arrays.copyOf(heap, count * 2);
            }
            place(document, count++);
        }
        siftDown(document.heapIndex);
        siftUp(document.heapIndex);
    }

    void remove(ResidentDocument document) {
        int index = document.heapIndex;
        if (index == ResidentDocument.NONE) {
            return;
        }
        document.heapIndex = ResidentDocument.NONE;
        ResidentDocument last = heap[--count];
        heap[count] = null;
        if (last != document) {
            place(last, index);
            siftDown(index);
            siftUp(last.heapIndex);
        }
    }

    /** Takes out the first one. */
    ResidentDocument take() {
        ResidentDocument first = heap[0];
        remove(first);
        return first;
    }

    private void place(ResidentDocument document, int index) {
        heap[index] = document;
        document.heapIndex = index;
    }

    private void siftUp(int from) {
        int index = from;
        ResidentDocument moved = heap[index];
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            if (heap[parent].dueNanos <= moved.dueNanos) {
                break;
            }
            place(heap[parent], index);
            index = parent;
        }
        place(moved, index);
    }

    private void siftDown(int from) {
        int index = from;
        ResidentDocument moved = heap[index];
        while (true) {
            int child = 2 * index + 1;
            if (child >= count) {
                break;
            }
            if (child + 1 < count && heap[child + 1].dueNanos < heap[child].dueNanos) {
                child++;
            }
            if (moved.dueNanos <= heap[child].dueNanos) {
                break;
            }
            place(heap[child], index);
            index = child;
        }
        place(moved, index);
    }
}
