package dev.walmerge.crdt;

/**
 * All that is deleted, by client id: gathered by a walk over the structs when it is asked for first, from then on kept up
 * with what a merge deletes. So a document that is never asked pays nothing, and one that is asked often pays for what
 * is new.
 */
final class DeleteSet {
    private static final int FEW = 256;

    /** Sorted and merged; null until it is asked for. */
    private ClockRanges all;

    private ClockRanges added;

    /** Something of a client id is deleted now, or was when it came. */
    void note(long client, int clock, int length) {
        if (all != null) {
            added.grow(client, clock, length);
            if (added.size > Math.max(FEW, all.size)) {
                settle();
            }
        }
    }

    boolean isKept() {
        return all != null;
    }

    /** Everything; the caller only reads it, and not after the next change. */
    ClockRanges of(StructStore store) {
        if (all == null) {
            all = walk(store);
            added = new ClockRanges();
        }
        settle();
        assert all.sameAs(walk(store)) : "a delete was not noted";
        return all;
    }

    private void settle() {
        if (added.size > 0) {
            added.sortAndMerge();
            all.mergeSorted(added);
            added.clear();
        }
    }

    /** The same without keeping it. */
    ClockRanges copy(StructStore store) {
        if (all == null) {
            return walk(store);
        }
        ClockRanges copy = new ClockRanges();
        copy.addAll(of(store));
        return copy;
    }

    private static ClockRanges walk(StructStore store) {
        ClockRanges all = new ClockRanges();
        for (int c : store.clients.byIdDescending()) {
            StructList list = store.clients.structs[c];
            for (int p = list.first(); p != StructList.NONE; p = list.next(p)) {
                int s = list.row(p);
                if (store.isDeleted(s)) {
                    all.grow(store.clients.id[c], store.clock[s], store.length.get(s));
                }
            }
        }
        return all;
    }

    long bytes() {
        return all == null ? 0 : all.bytes() + added.bytes();
    }
}
