package dev.walmerge.crdt;

/** Copies the structs a snapshot knows out of a document, as if an update had brought them. */
final class Restorer {
    private static final int NONE = StructStore.NONE;

    private final StructStore store;
    private final StructBuffer out;
    private final ClockRanges deletes;

    Restorer(StructStore store, StructBuffer out, ClockRanges deletes) {
        this.store = store;
        this.out = out;
        this.deletes = deletes;
    }

    void restore(Snapshot snapshot) throws MalformedUpdateException {
        ClientTable clients = store.clients;
        for (int i = 0; i < snapshot.clients.length; i++) {
            int c = clients.find(snapshot.clients[i]);
            int clock = snapshot.clocks[i];
            if (clock > (c == ClientTable.NONE ? 0 : clients.state[c])) {
                throw new MalformedUpdateException("snapshot-not-covered", 0);
            }
            if (clock == 0) {
                continue;
            }
            StructList list = clients.structs[c];
            for (int p = list.first(); p != NONE && store.clock[list.row(p)] < clock; p = list.next(p)) {
                int s = list.row(p);
                struct(s, Math.min(store.length.get(s), clock - store.clock[s]));
            }
        }
        deletes.addAll(snapshot.deletes);
    }

    /** The first {@code length} units of a struct. */
    private void struct(int s, int length) {
        int i = out.next();
        out.client[i] = store.clients.id[store.client.get(s)];
        out.clock[i] = store.clock[s];
        out.length[i] = length;
        int kind = store.kind(s);
        int info = kind;
        if (kind != Kind.GC) {
            if (store.hasOrigin(s)) {
                info |= StructBuffer.HAS_ORIGIN;
                out.originClient[i] = store.clients.id[store.originClient.get(s)];
                out.originClock[i] = store.originClock[s];
            }
            if (store.hasRightOrigin(s)) {
                info |= StructBuffer.HAS_RIGHT_ORIGIN;
                out.rightClient[i] = store.clients.id[store.rightClient.get(s)];
                out.rightClock[i] = store.rightClock[s];
            }
            if (info == kind) {
                info |= parent(s, i);
            }
            content(s, kind, i);
        }
        out.info[i] = (short) info;
        out.commit(true);
    }

    private int parent(int s, int i) {
        int parent = store.parent.get(s);
        int holder = store.types.item[parent];
        int sub = 0;
        if (store.parentSub.get(s) != NONE) {
            sub = StructBuffer.HAS_SUB;
            out.setSub(i, store.names.get(store.parentSub.get(s)));
        }
        if (holder == NONE) {
            out.setRoot(i, store.names.get(store.types.name[parent]));
            return sub | StructBuffer.PARENT_ROOT;
        }
        out.originClient[i] = store.clients.id[store.client.get(holder)];
        out.originClock[i] = store.clock[holder];
        return sub | StructBuffer.PARENT_ID;
    }

    private void content(int s, int kind, int i) {
        int length = out.length[i];
        if (kind == Kind.TYPE) {
            int type = store.content[s];
            out.content[i] = store.types.ref[type];
            if (TypeRef.named(store.types.ref[type])) {
                out.setKey(i, store.names.get(store.types.name[type]));
            }
        } else if (kind == Kind.STRING) {
            int at = out.units.count;
            out.units.add(store.contents.units, store.content[s], length);
            if (length < store.length.get(s) && Character.isHighSurrogate(out.units.at(at + length - 1))) {
                out.units.set(at + length - 1, Utf8.REPLACEMENT);
            }
            out.content[i] = at;
        } else if (Kind.inBlob(kind)) {
            int bytes = store.contentBytes.get(s);
            if (length < store.length.get(s)) {
                int end = store.content[s];
                for (int n = 0; n < length; n++) {
                    end = AnyValue.end(store.contents.blob, end);
                }
                bytes = end - store.content[s];
            }
            out.content[i] = out.blob.size();
            out.contentBytes[i] = bytes;
            out.blob.raw(store.contents.blob, store.content[s], bytes);
            if (kind == Kind.FORMAT) {
                out.setKey(i, store.names.get(store.formatKey(s)));
            }
        }
    }
}
