package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Whether two stores hold the same document. Walks both client by client in steps that are within one run on either
 * side, so it doesn't matter how the runs are cut.
 */
final class Comparison {
    private static final int NONE = StructStore.NONE;

    private final StructStore a;
    private final StructStore b;

    Comparison(StructStore a, StructStore b) {
        this.a = a;
        this.b = b;
    }

    static boolean same(StructStore a, StructStore b) {
        return a.clients.size == b.clients.size && new Comparison(a, b).sameClients();
    }

    private boolean sameClients() {
        for (int ca = 0; ca < a.clients.size; ca++) {
            int cb = b.clients.find(a.clients.id[ca]);
            if (cb == NONE || a.clients.state[ca] != b.clients.state[cb] || !sameStructs(ca, cb)) {
                return false;
            }
        }
        return true;
    }

    private boolean sameStructs(int ca, int cb) {
        StructList listA = a.clients.structs[ca];
        StructList listB = b.clients.structs[cb];
        int pa = listA.first();
        int pb = listB.first();
        int clock = 0;
        while (clock < a.clients.state[ca]) {
            int sa = listA.row(pa);
            int sb = listB.row(pb);
            int end = Math.min(a.end(sa), b.end(sb));
            if (!sameRun(sa, sb, clock, end)) {
                return false;
            }
            pa = a.end(sa) == end ? listA.next(pa) : pa;
            pb = b.end(sb) == end ? listB.next(pb) : pb;
            clock = end;
        }
        return true;
    }

    private boolean sameRun(int sa, int sb, int from, int end) {
        if (a.kind(sa) != b.kind(sb) || a.isDeleted(sa) != b.isDeleted(sb)) {
            return false;
        }
        if (a.isGc(sa)) {
            return true;
        }
        return id(a, sa, from, true) == id(b, sb, from, true)
                && clock(a, sa, from, true) == clock(b, sb, from, true)
                && id(a, sa, from, false) == id(b, sb, from, false)
                && clock(a, sa, from, false) == clock(b, sb, from, false)
                && rightId(a, sa) == rightId(b, sb)
                && a.rightClock[sa] == b.rightClock[sb]
                && sameParent(a.parent.get(sa), b.parent.get(sb))
                && sameName(a.parentSub.get(sa), b.parentSub.get(sb))
                && sameContent(sa, sb, from, end);
    }

    /** The client of the origin, or of the item to the left, of the unit at {@code clock}. */
    private static long id(StructStore s, int struct, int clock, boolean origin) {
        if (clock > s.clock[struct]) {
            return s.clients.id[s.client.get(struct)];
        }
        int client = origin && s.hasOrigin(struct) ? s.originClient.get(struct) : NONE;
        if (!origin && s.left(struct) != NONE) {
            client = s.client.get(s.left(struct));
        }
        return client == NONE ? NONE : s.clients.id[client];
    }

    private static int clock(StructStore s, int struct, int clock, boolean origin) {
        if (clock > s.clock[struct]) {
            return clock - 1;
        }
        if (origin) {
            return s.originClock[struct];
        }
        return s.left(struct) == NONE ? 0 : s.end(s.left(struct)) - 1;
    }

    private static long rightId(StructStore s, int struct) {
        return !s.hasRightOrigin(struct) ? NONE : s.clients.id[s.rightClient.get(struct)];
    }

    private boolean sameParent(int ta, int tb) {
        int ha = a.types.item[ta];
        int hb = b.types.item[tb];
        if (ha == NONE || hb == NONE) {
            return ha == hb && sameName(a.types.name[ta], b.types.name[tb]);
        }
        return a.clients.id[a.client.get(ha)] == b.clients.id[b.client.get(hb)] && a.clock[ha] == b.clock[hb];
    }

    private boolean sameName(int na, int nb) {
        if (na == NONE || nb == NONE) {
            return na == nb;
        }
        return a.names.get(na).equals(b.names.get(nb));
    }

    /** Of two structs of one kind, the units at the same clocks. */
    boolean sameContent(int sa, int sb, int from, int end) {
        int kind = a.kind(sa);
        if (kind == Kind.DELETED) {
            return true;
        }
        if (kind == Kind.TYPE) {
            int ta = a.content[sa];
            int tb = b.content[sb];
            return a.types.ref[ta] == b.types.ref[tb] && sameName(a.types.name[ta], b.types.name[tb]);
        }
        if (kind == Kind.STRING) {
            int ia = a.content[sa] - a.clock[sa];
            int ib = b.content[sb] - b.clock[sb];
            for (int i = from; i < end; i++) {
                if (!Conflicts.sameUnit(a.contents.units.at(ia + i), b.contents.units.at(ib + i))) {
                    return false;
                }
            }
            return true;
        }
        return sameBytes(kind, sa, sb, from, end);
    }

    private boolean sameBytes(int kind, int sa, int sb, int from, int end) {
        int fromA = start(a, kind, sa, from);
        int fromB = start(b, kind, sb, from);
        int endA = kind == Kind.ANY || kind == Kind.JSON ? start(a, kind, sa, end) : fromA + a.contentBytes.get(sa);
        int endB = kind == Kind.ANY || kind == Kind.JSON ? start(b, kind, sb, end) : fromB + b.contentBytes.get(sb);
        return Arrays.equals(a.contents.blob, fromA, endA, b.contents.blob, fromB, endB)
                && (kind != Kind.FORMAT || sameName(a.formatKey(sa), b.formatKey(sb)));
    }

    private static int start(StructStore s, int kind, int struct, int clock) {
        int at = s.content[struct];
        if (kind == Kind.ANY || kind == Kind.JSON) {
            for (int i = s.clock[struct]; i < clock; i++) {
                at = AnyValue.end(s.contents.blob, at);
            }
        }
        return at;
    }
}
