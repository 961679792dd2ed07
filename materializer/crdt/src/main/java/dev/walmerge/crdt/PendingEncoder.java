package dev.walmerge.crdt;

/** Writes the structs of a client that wait behind those that are merged, with Skips over the gaps. */
final class PendingEncoder {
    private final StructStore store;
    private final UpdateWriter out;

    PendingEncoder(StructStore store, UpdateWriter out) {
        this.store = store;
        this.out = out;
    }

    void client(StateEncoder encoder, int c, PendingStructs pending, int q) {
        StructBuffer in = pending.structs();
        boolean known = c != ClientTable.NONE && !store.clients.structs[c].isEmpty();
        int state = known ? store.clients.state[c] : 0;
        int count = known ? store.clients.structs[c].countFrom(0) : 0;
        int start = known ? 0 : in.clock[pending.structAt(q, pending.headOf(q))];
        int next = known ? state : start;
        for (int at = pending.headOf(q); at < pending.tailOf(q); at++) {
            int i = pending.structAt(q, at);
            if (in.end(i) > next) {
                count += in.clock[i] > next ? 2 : 1;
                next = in.end(i);
            }
        }
        out.rest.varUint(count);
        out.client(pending.clientOf(q));
        out.rest.varUint(start);
        if (known) {
            encoder.structs(c, 0, 0);
        }
        next = known ? state : start;
        for (int at = pending.headOf(q); at < pending.tailOf(q); at++) {
            int i = pending.structAt(q, at);
            if (in.end(i) <= next) {
                continue;
            }
            if (in.clock[i] > next) {
                out.info(Kind.SKIP);
                out.rest.varUint(in.clock[i] - next);
            }
            struct(out, in, i, Math.max(0, next - in.clock[i]));
            next = in.end(i);
        }
    }

    /** Writes a struct that is in no document, but its first {@code offset} units. */
    static void struct(UpdateWriter out, StructBuffer in, int i, int offset) {
        int kind = in.kind(i);
        if (kind == Kind.GC) {
            out.info(Kind.GC);
            out.length(in.length[i] - offset);
            return;
        }
        boolean hasOrigin = offset > 0 || in.has(i, StructBuffer.HAS_ORIGIN);
        boolean hasRight = in.has(i, StructBuffer.HAS_RIGHT_ORIGIN);
        out.info(kind
                | (hasOrigin ? StructBuffer.HAS_ORIGIN : 0)
                | (hasRight ? StructBuffer.HAS_RIGHT_ORIGIN : 0)
                | (in.sub(i) != null ? StructBuffer.HAS_SUB : 0));
        if (offset > 0) {
            out.leftId(in.client[i], in.clock[i] + offset - 1);
        } else if (hasOrigin) {
            out.leftId(in.originClient[i], in.originClock[i]);
        }
        if (hasRight) {
            out.rightId(in.rightClient[i], in.rightClock[i]);
        }
        if (!hasOrigin && !hasRight) {
            out.parentIsRoot(in.has(i, StructBuffer.PARENT_ROOT));
            if (in.has(i, StructBuffer.PARENT_ROOT)) {
                out.string(in.root(i));
            } else {
                out.leftId(in.originClient[i], in.originClock[i]);
            }
            if (in.sub(i) != null) {
                out.string(in.sub(i));
            }
        }
        if (kind == Kind.TYPE) {
            TypeRef.write(out, in.content[i], in.key(i));
            return;
        }
        out.content(
                kind, in.length[i], offset, in.units, in.blob.array(), in.content[i], in.contentBytes[i], in.key(i));
    }
}
