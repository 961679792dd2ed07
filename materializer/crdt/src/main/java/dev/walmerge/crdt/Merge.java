package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * What one applied update changes, and the tidying behind it: deleted content is freed, neighbours that say one run are
 * joined. The counterpart of a Yjs transaction.
 */
final class Merge {
    private static final int NONE = StructStore.NONE;

    private final StructStore store;
    private final boolean gc;

    /** By client index: newly deleted. */
    private final ClockRanges deleted = new ClockRanges();

    /** By client index: where neighbours may have become joinable. */
    final ClockRanges dirty = new ClockRanges();

    /** By client id: deleted since the last drain; not kept before the first one, when all deletes are news. */
    private final ClockRanges undrained = new ClockRanges();

    private boolean everDrained;

    private int undrainedLimit = 256;

    private int[] touched = {};
    private int touchedCount;

    /** Whether any client got something. */
    private boolean grown;

    int[] drainClients = {};
    int drainClientCount;
    private int[] stack = {};
    private int stackSize;

    Merge(StructStore store, boolean gc) {
        this.store = store;
        this.gc = gc;
    }

    boolean frees() {
        return gc;
    }

    /** A client is about to get a struct. */
    void touch(int c) {
        ClientTable clients = store.clients;
        if (clients.touched[c]) {
            return;
        }
        clients.touched[c] = true;
        clients.before[c] = clients.state[c];
        touched = push(touched, touchedCount++, c);
        grew(c);
    }

    /** The newest struct of a client grew in place: news for the next drain, but nothing to join. */
    void grew(int c) {
        grown = true;
        ClientTable clients = store.clients;
        if (!clients.undrained[c]) {
            clients.undrained[c] = true;
            drainClients = push(drainClients, drainClientCount++, c);
        }
    }

    /** Units were deleted in place: their neighbour, deleted and freed before, took them over. */
    void erased(int c, int from, int count) {
        long id = store.clients.id[c];
        store.deletes.note(id, from, count);
        if (everDrained) {
            undrained.grow(id, from, count);
            tidyUndrained();
        }
    }

    private static int[] push(int[] list, int at, int value) {
        int[] room = at == list.length ? Arrays.copyOf(list, Math.max(4, at * 2)) : list;
        room[at] = value;
        return room;
    }

    boolean changed() {
        return grown || deleted.size > 0;
    }

    boolean addedStructs() {
        return grown;
    }

    private void noteDeleted(int s) {
        deleted.add(store.client.get(s), store.clock[s], store.length.get(s));
    }

    /** An item came as a deleted one: there is nothing to free, and as it is new it is joined anyway. */
    void cameDeleted(int s) {
        erased(store.client.get(s), store.clock[s], store.length.get(s));
    }

    /** Deletes an item and, when it holds a type, all in it. */
    void delete(int s) {
        if (store.isDeleted(s)) {
            return;
        }
        int base = stackSize;
        deleteOne(s);
        while (stackSize > base) {
            deleteChildren(stack[--stackSize]);
        }
    }

    private void deleteOne(int s) {
        store.markDeleted(s);
        noteDeleted(s);
        if (store.order != null) {
            store.order.changed(s);
        }
        if (store.kind(s) == Kind.TYPE) {
            stack = push(stack, stackSize++, store.content[s]);
        }
    }

    private void deleteChildren(int type) {
        TypeTable types = store.types;
        for (int s = types.start[type]; s != NONE; s = store.right[s]) {
            deleteChild(s);
        }
        for (int entry = types.firstEntry[type]; entry != NONE; entry = types.entryNext[entry]) {
            deleteChild(types.entryItem[entry]);
        }
    }

    private void deleteChild(int s) {
        if (!store.isDeleted(s)) {
            deleteOne(s);
        }
    }

    /** Deletes {@code [from, end)} of a client; {@code from} is below its state. */
    void deleteRange(int c, int from, int end) {
        StructList list = store.clients.structs[c];
        int position = list.position(from, store.clock);
        int s = list.row(position);
        if (!store.isDeleted(s) && store.clock[s] < from) {
            position = store.split(c, position, from - store.clock[s], dirty);
        }
        for (; position != NONE; position = list.next(position)) {
            s = list.row(position);
            if (store.clock[s] >= end) {
                return;
            }
            if (!store.isDeleted(s)) {
                if (end < store.end(s)) {
                    store.split(c, position, end - store.clock[s], dirty);
                    delete(s);
                    return;
                }
                delete(s);
            }
        }
    }

    /** Deletes what waits for structs that this merge added; looks only at the clients that got some. */
    void retryDeletes(ClockRanges waiting) {
        ClientTable clients = store.clients;
        for (int t = 0; t < touchedCount; t++) {
            int c = touched[t];
            int first = waiting.firstOf(clients.id[c]);
            int i = first;
            while (i < waiting.size && waiting.client[i] == clients.id[c] && waiting.end(i) <= clients.state[c]) {
                deleteRange(c, waiting.clock[i], waiting.end(i));
                i++;
            }
            if (i < waiting.size && waiting.client[i] == clients.id[c] && waiting.clock[i] < clients.state[c]) {
                deleteRange(c, waiting.clock[i], clients.state[c]);
                waiting.cutFront(i, clients.state[c]);
            }
            waiting.remove(first, i);
        }
    }

    /** Whether all of {@code [from, end)} is here and deleted. */
    boolean isDeleted(int c, int from, int end) {
        if (c == NONE || end > store.clients.state[c]) {
            return false;
        }
        StructList list = store.clients.structs[c];
        for (int position = store.position(c, from); position != NONE; position = list.next(position)) {
            int s = list.row(position);
            if (store.clock[s] >= end) {
                return true;
            }
            if (!store.isDeleted(s)) {
                return false;
            }
        }
        return true;
    }

    /** Frees, joins, and notes for the next drain. */
    void finish() {
        store.revision += changed() ? 1 : 0;
        grown = false;
        if (touchedCount == 0 && deleted.size == 0 && dirty.size == 0) {
            return;
        }
        ClientTable clients = store.clients;
        if (deleted.size > 0) {
            deleted.sortAndMerge();
            if (gc) {
                collect();
            }
            for (int i = 0; i < deleted.size; i++) {
                if (!store.clients.isNew((int) deleted.client[i], deleted.clock[i])) {
                    dirty.add(deleted.client[i], deleted.clock[i], deleted.length[i]);
                }
            }
            rememberDeleted();
        }
        for (int i = 0; i < touchedCount; i++) {
            int c = touched[i];
            clients.touched[c] = false;
            dirty.add(c, clients.before[c], clients.state[c] - clients.before[c]);
        }
        joinDirty();
        store.contents.compactIfWorthIt(store);
        touchedCount = 0;
        deleted.clear();
        dirty.clear();
    }

    /** All changes so far were drained. */
    void drained() {
        ClientTable clients = store.clients;
        for (int i = 0; i < drainClientCount; i++) {
            int c = drainClients[i];
            clients.undrained[c] = false;
            clients.drained[c] = clients.state[c];
        }
        drainClientCount = 0;
        everDrained = true;
        undrained.clear();
        undrainedLimit = 256;
    }

    /** Whether deletes are noted nowhere yet, as before the first drain and the first look at all of them. */
    boolean isNew() {
        return !everDrained && !store.deletes.isKept() && store.order == null;
    }

    /** Whether anything changed since the last drain. */
    boolean hasNews() {
        return drainClientCount > 0 || undrained.size > 0;
    }

    /** By client id, sorted: what was deleted since the last drain. */
    ClockRanges news() {
        if (!everDrained) {
            return store.deletes.copy(store);
        }
        undrained.sortAndMerge();
        return undrained;
    }

    private void rememberDeleted() {
        for (int i = 0; i < deleted.size; i++) {
            long id = store.clients.id[(int) deleted.client[i]];
            store.deletes.note(id, deleted.clock[i], deleted.length[i]);
            if (everDrained) {
                undrained.grow(id, deleted.clock[i], deleted.length[i]);
            }
        }
        tidyUndrained();
    }

    private void tidyUndrained() {
        if (undrained.size > undrainedLimit) {
            undrained.sortAndMerge();
            undrainedLimit = Math.max(256, undrained.size * 2);
        }
    }

    private void collect() {
        for (int i = 0; i < deleted.size; i++) {
            int c = (int) deleted.client[i];
            int end = deleted.end(i);
            StructList list = store.clients.structs[c];
            for (int p = store.position(c, deleted.clock[i]); p != NONE; p = list.next(p)) {
                int s = list.row(p);
                if (store.clock[s] >= end) {
                    break;
                }
                if (!store.isGc(s) && store.isDeleted(s) && store.kind(s) != Kind.DELETED) {
                    collect(s);
                }
            }
        }
    }

    private void collect(int s) {
        if (store.kind(s) == Kind.TYPE) {
            stack = push(stack, stackSize++, store.content[s]);
            while (stackSize > 0) {
                collectChildren(stack[--stackSize]);
            }
        }
        store.dropContent(s);
    }

    /** All in a collected type loses its place as well: nothing can refer to it any more. */
    private void collectChildren(int type) {
        TypeTable types = store.types;
        for (int s = types.start[type]; s != NONE; ) {
            int next = store.right[s];
            collectChild(s);
            s = next;
        }
        for (int entry = types.firstEntry[type]; entry != NONE; entry = types.entryNext[entry]) {
            for (int s = types.entryFirst[entry]; s != NONE; ) {
                int next = store.right[s];
                collectChild(s);
                s = next;
            }
        }
        if (store.order != null) {
            store.order.drop(type);
        }
        types.remove(type);
    }

    private void collectChild(int s) {
        if (store.kind(s) == Kind.TYPE) {
            stack = push(stack, stackSize++, store.content[s]);
        }
        store.becomeGc(s);
        // Neighbours that were deleted long ago are not in this merge's ranges, and may now be joinable.
        if (!store.clients.isNew(store.client.get(s), store.clock[s])) {
            dirty.add(store.client.get(s), store.clock[s], store.length.get(s));
        }
    }

    private void joinDirty() {
        dirty.sortAndMerge();
        for (int i = 0; i < dirty.size; i++) {
            store.clients.structs[(int) dirty.client[i]].join(store, dirty.clock[i], dirty.end(i));
        }
    }

    long bytes() {
        return deleted.bytes() + dirty.bytes() + undrained.bytes() + 4L * (touched.length + drainClients.length);
    }
}
