package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * How far a long conflict scan came, so that clients that come upwards to one place don't each pass all others again: the scan of
 * the next item with the same origins and a higher client would pass what this one passed, and this one's item, so it goes on
 * from there. That holds as long as nothing was put or cut in between, and for the merge it was found in.
 */
final class LongScan {
    private static final int NONE = StructStore.NONE;

    private final StructStore store;

    /** What the scan began behind, and the item that was put where it ended; NONE when nothing is known. */
    private int left;

    private int last = NONE;

    /** By row: {@link #generation} for what lies between those two. */
    private int[] between = {};

    private int generation;

    LongScan(StructStore store) {
        this.store = store;
    }

    boolean isKnown() {
        return last != NONE;
    }

    int last() {
        return last;
    }

    void forget() {
        last = NONE;
    }

    /** Whether the scan of a new item would come by {@link #last} and pass it. */
    boolean leadsTo(int s) {
        return last != NONE
                && store.originClock[s] == store.originClock[last]
                && store.originClient.get(s) == store.originClient.get(last)
                && store.rightClock[s] == store.rightClock[last]
                && store.rightClient.get(s) == store.rightClient.get(last)
                && store.parent.get(s) == store.parent.get(last)
                && store.parentSub.get(s) == store.parentSub.get(last)
                && store.clients.id[store.client.get(s)] > store.clients.id[store.client.get(last)];
    }

    /** Whether the scan passed a row or put its item there. */
    boolean passed(int row) {
        return row == last || isBetween(row);
    }

    private boolean isBetween(int row) {
        return row < between.length && between[row] == generation;
    }

    /** A scan from {@code first}, right behind {@code from}, passed all up to {@code to}, behind which {@code s} goes. */
    void ended(int s, int from, int first, int to) {
        generation++;
        left = from;
        took(s, first, to);
    }

    /** The scan went on for {@code s}, which goes behind {@code to}. */
    void wentOn(int s, int to) {
        took(s, last, to);
    }

    private void took(int s, int first, int to) {
        if (between.length < store.used) {
            between = Arrays.copyOf(between, store.clock.length);
        }
        for (int o = first; o != to; o = store.right[o]) {
            between[o] = generation;
        }
        between[to] = generation;
        last = s;
    }

    /** An item is put behind another, or at a front. */
    void linked(int s, int behind) {
        if (last != NONE && s != last && (behind == left || (behind != NONE && isBetween(behind)))) {
            forget();
        }
    }
}
