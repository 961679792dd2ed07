package dev.walmerge.crdt;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeSet;

/** Writes a document, or part of it, as an update. Clients go by descending id, as Yjs writes them. */
final class StateEncoder {
    private static final int NONE = StructStore.NONE;

    private final StructStore store;
    private final UpdateWriter out;
    private final WrittenNames names;

    /** Yjs writes a state with pending parts by merging encoded updates, which forgets a key its origins imply. */
    private boolean keysImplied;

    /** What is deleted of the structs written so far; null when it isn't asked for. */
    private ClockRanges passed;

    StateEncoder(StructStore store, UpdateFormat format) {
        this.store = store;
        this.out = UpdateWriter.of(format);
        this.names = new WrittenNames(store.names);
    }

    byte[] state() {
        passed = store.deletes.isKept() ? null : new ClockRanges();
        int[] order = store.clients.byIdDescending();
        out.reserve(store.size(), store.contents.units.count, store.contents.blobCount);
        out.rest.varUint(order.length);
        for (int c : order) {
            client(c, 0);
        }
        deletes(out, passed == null ? store.deletes.of(store) : passed);
        return out.finish();
    }

    byte[] since(SortedMap<Long, Integer> known) {
        ClientTable clients = store.clients;
        int count = 0;
        for (int c : clients.byIdDescending()) {
            count += clients.state[c] > known.getOrDefault(clients.id[c], 0) ? 1 : 0;
        }
        out.rest.varUint(count);
        for (int c : clients.byIdDescending()) {
            int clock = known.getOrDefault(clients.id[c], 0);
            if (clients.state[c] > clock) {
                client(c, clock);
            }
        }
        deletes(out, store.deletes.of(store));
        return out.finish();
    }

    byte[] changes(Merge merge) {
        ClientTable clients = store.clients;
        int[] changed = merge.drainClients;
        long[] ids = new long[merge.drainClientCount];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = clients.id[changed[i]];
        }
        Arrays.sort(ids);
        out.rest.varUint(ids.length);
        for (int i = ids.length - 1; i >= 0; i--) {
            int c = clients.find(ids[i]);
            client(c, clients.drained[c]);
        }
        deletes(out, merge.news());
        return out.finish();
    }

    byte[] stateWithPending(PendingStructs pending, ClockRanges pendingDeletes) {
        if (pending.isEmpty() && pendingDeletes.size == 0) {
            return state();
        }
        keysImplied = true;
        TreeSet<Long> ids = new TreeSet<>();
        for (int c = 0; c < store.clients.size; c++) {
            ids.add(store.clients.id[c]);
        }
        for (int q = 0; q < pending.queueCount(); q++) {
            if (pending.headOf(q) < pending.tailOf(q)) {
                ids.add(pending.clientOf(q));
            }
        }
        out.rest.varUint(ids.size());
        for (long id : ids.descendingSet()) {
            int c = store.clients.find(id);
            int q = pending.queueOf(id);
            if (q == NONE) {
                client(c, 0);
            } else {
                new PendingEncoder(store, out).client(this, c, pending, q);
            }
        }
        ClockRanges deletes = store.deletes.copy(store);
        deletes.addAll(pendingDeletes);
        deletes.sortAndMerge();
        deletes(out, deletes);
        return out.finish();
    }

    /** The structs of a client from a clock on, which must be below its state. */
    private void client(int c, int clock) {
        int first = store.position(c, clock);
        out.rest.varUint(store.clients.structs[c].countFrom(first));
        out.client(store.clients.id[c]);
        out.rest.varUint(clock);
        structs(c, first, clock);
    }

    void structs(int c, int first, int clock) {
        StructList list = store.clients.structs[c];
        struct(list.row(first), clock - store.clock[list.row(first)]);
        int place = StructList.placeAt(first) + 1;
        for (int chunk = StructList.chunkAt(first); chunk < list.chunkCount(); chunk++) {
            int size = list.chunkSize(chunk);
            for (; place < size; place++) {
                struct(list.row(chunk, place), 0);
            }
            place = 0;
        }
    }

    private void struct(int s, int offset) {
        int kind = store.kind(s);
        if (passed != null && store.isDeleted(s)) {
            passed.grow(store.clients.id[store.client.get(s)], store.clock[s], store.length.get(s));
        }
        if (kind == Kind.GC) {
            out.info(Kind.GC);
            out.length(store.length.get(s) - offset);
            return;
        }
        long[] ids = store.clients.id;
        int originClock = offset > 0 ? store.clock[s] + offset - 1 : store.originClock[s];
        int rightClock = store.rightClock[s];
        boolean placed = originClock != NONE || rightClock != NONE;
        if (!placed && entry(s, kind)) {
            content(s, kind, offset);
            return;
        }
        int info = kind
                | (originClock != NONE ? StructBuffer.HAS_ORIGIN : 0)
                | (rightClock != NONE ? StructBuffer.HAS_RIGHT_ORIGIN : 0)
                | (hasSub(s, placed) ? StructBuffer.HAS_SUB : 0);
        int originClient = offset > 0 ? store.client.get(s) : store.originClient.get(s);
        out.head(info, ids[originClient], originClock, ids[store.rightClient.get(s)], rightClock);
        if (!placed) {
            parent(s);
        }
        content(s, kind, offset);
    }

    /** The head of the first value of a key in a nested map, which is most of a JSON document; false when it is another. */
    private boolean entry(int s, int kind) {
        int holder = store.types.item[store.parent.get(s)];
        int sub = store.parentSub.get(s);
        byte[] key = holder == NONE || sub == NONE ? null : names.plain(sub);
        if (key == null) {
            return false;
        }
        out.entry(kind | StructBuffer.HAS_SUB, store.clients.id[store.client.get(holder)], store.clock[holder], key);
        return true;
    }

    private boolean hasSub(int s, boolean implied) {
        return store.parentSub.get(s) != NONE && !(implied && keysImplied);
    }

    private void parent(int s) {
        int parent = store.parent.get(s);
        int holder = store.types.item[parent];
        out.parentIsRoot(holder == NONE);
        if (holder == NONE) {
            names.write(out, store.types.name[parent]);
        } else {
            out.leftId(store.clients.id[store.client.get(holder)], store.clock[holder]);
        }
        if (store.parentSub.get(s) != NONE) {
            names.write(out, store.parentSub.get(s));
        }
    }

    private void content(int s, int kind, int offset) {
        if (kind == Kind.DELETED) {
            out.length(store.length.get(s) - offset);
            return;
        }
        if (kind == Kind.STRING) {
            int at = store.content[s];
            out.units(store.contents.units, at + offset, at + store.length.get(s));
            return;
        }
        if (kind == Kind.TYPE) {
            int type = store.content[s];
            int name = store.types.name[type];
            TypeRef.write(out, store.types.ref[type], name == NONE ? null : store.names.get(name));
            return;
        }
        if (kind == Kind.ANY && store.length.get(s) == 1) {
            out.value(store.contents.blob, store.content[s], store.contentBytes.get(s));
            return;
        }
        String key = kind == Kind.FORMAT ? store.names.get(store.formatKey(s)) : null;
        ContentStore contents = store.contents;
        out.content(
                kind,
                store.length.get(s),
                offset,
                contents.units,
                contents.blob,
                store.content[s],
                store.contentBytes.get(s),
                key);
    }

    /** Writes sorted ranges by client id. */
    static void deletes(UpdateWriter out, ClockRanges ranges) {
        int clients = 0;
        for (int i = 0; i < ranges.size; i = ranges.endOfClient(i)) {
            clients++;
        }
        out.rest.varUint(clients);
        for (int from = 0; from < ranges.size; ) {
            int end = ranges.endOfClient(from);
            out.startDeletes();
            out.rest.varUint(ranges.client[from]);
            out.rest.varUint(end - from);
            for (int i = from; i < end; i++) {
                out.deleteRange(ranges.clock[i], ranges.length[i]);
            }
            from = end;
        }
    }
}
