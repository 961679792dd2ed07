package dev.walmerge.crdt;

import java.util.Arrays;

/** Notices that a struct that is known already was sent with other content: two writers share a client id. */
final class Conflicts {
    /**
     * Values are found by walking over those before them, so only the first ones of a run are compared: a list of
     * 100,000 that comes again one by one would take minutes.
     */
    private static final int FINDABLE = 64;

    private Conflicts() {}

    /**
     * Compares what is cheap to compare, up to the clock {@code known}: kinds, the units of strings, and plain values. What was deleted meanwhile, here or there,
     * tells nothing.
     */
    static boolean differs(StructStore store, StructBuffer in, int i, int known) {
        int kind = in.kind(i);
        if (kind == Kind.GC || kind == Kind.DELETED) {
            return false;
        }
        int c = store.clients.find(in.client[i]);
        StructList list = store.clients.structs[c];
        int position = store.position(c, in.clock[i]);
        int at = in.clock[i];
        for (; at < known; position = list.next(position)) {
            int s = list.row(position);
            int end = Math.min(store.end(s), known);
            if (!store.isDeleted(s)) {
                if (store.kind(s) != kind) {
                    return true;
                }
                if (kind == Kind.STRING && unitsDiffer(store, s, in, i, at, end)) {
                    return true;
                }
                if (kind == Kind.ANY && valuesDiffer(store, s, in, i, at, end)) {
                    return true;
                }
            }
            at = end;
        }
        return false;
    }

    private static boolean unitsDiffer(StructStore store, int s, StructBuffer in, int i, int from, int end) {
        int mine = store.content[s] + from - store.clock[s];
        int theirs = in.content[i] + from - in.clock[i];
        for (int n = 0; n < end - from; n++) {
            if (!sameUnit(store.contents.units.at(mine + n), in.units.at(theirs + n))) {
                return true;
            }
        }
        return false;
    }

    private static boolean valuesDiffer(StructStore store, int s, StructBuffer in, int i, int from, int end) {
        if (from - store.clock[s] > FINDABLE) {
            return false;
        }
        byte[] mine = store.contents.blob;
        byte[] theirs = in.blob.array();
        int a = skip(mine, store.content[s], from - store.clock[s]);
        int b = skip(theirs, in.content[i], from - in.clock[i]);
        int endA = skip(mine, a, end - from);
        int endB = skip(theirs, b, end - from);
        return !Arrays.equals(mine, a, endA, theirs, b, endB);
    }

    private static int skip(byte[] blob, int at, int count) {
        int pos = at;
        for (int i = 0; i < count; i++) {
            pos = AnyValue.end(blob, pos);
        }
        return pos;
    }

    /** Half of a pair may have become U+FFFD, here or on the way. */
    static boolean sameUnit(char a, char b) {
        return a == b
                || (a == Utf8.REPLACEMENT && Character.isSurrogate(b))
                || (b == Utf8.REPLACEMENT && Character.isSurrogate(a));
    }
}
