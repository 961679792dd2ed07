package dev.walmerge.crdt;

import java.util.Arrays;

/**
 * Whether a document is one that editors could have made: when an item was put between its origins nothing that its
 * writer knew lay between them, and of the items of a key all but the last are deleted. What a writer knew is at least all
 * that its items refer to.
 *
 * <p>With other items the order of arrival decides where they come to lie and what is deleted, in Yjs as here, so such a
 * document may become another one when it is loaded.
 */
final class Straightness {
    private static final int NONE = StructStore.NONE;
    private static final int MOST = 300;

    private final StructStore store;

    /** By row: its place in the lists laid out one behind the other. */
    private final int[] place;

    private final int[] rowAt;

    /** By row and client: the clock up to which the writer of the item knew, not counting the item. */
    private final int[][] known;

    private Straightness(StructStore store) {
        this.store = store;
        place = new int[store.used];
        rowAt = new int[2 * store.used];
        known = new int[store.used][store.clients.size];
    }

    /** False as well when the document is too large to look at. */
    static boolean of(StructStore store) {
        return store.used <= MOST && store.clients.size <= MOST && new Straightness(store).holds();
    }

    private boolean holds() {
        layOut();
        boolean grown = true;
        while (grown) {
            grown = false;
            for (int c = 0; c < store.clients.size; c++) {
                StructList structs = store.clients.structs[c];
                for (int p = structs.first(); p != NONE; p = structs.next(p)) {
                    grown |= learn(c, structs.row(p));
                }
            }
        }
        for (int s = 0; s < store.used; s++) {
            if (!store.isFree(s) && !store.isGc(s) && !straight(s)) {
                return false;
            }
        }
        return true;
    }

    private void layOut() {
        Arrays.fill(place, NONE);
        Arrays.fill(rowAt, NONE);
        int at = 0;
        for (int s = 0; s < store.used; s++) {
            if (!store.isFree(s) && !store.isGc(s) && store.left(s) == NONE) {
                for (int o = s; o != NONE; o = store.right[o]) {
                    rowAt[at] = o;
                    place[o] = at++;
                }
                at++;
            }
        }
    }

    /** True when a writer turns out to have known more. */
    private boolean learn(int c, int s) {
        boolean grown = knows(s, c, store.clock[s] - 1);
        if (!store.isGc(s)) {
            int holder = store.types.item[store.parent.get(s)];
            grown |= holder != NONE && knows(s, store.client.get(holder), store.clock[holder]);
            grown |= store.hasOrigin(s) && knows(s, store.originClient.get(s), store.originClock[s]);
            grown |= store.hasRightOrigin(s) && knows(s, store.rightClient.get(s), store.rightClock[s]);
        }
        return grown;
    }

    private boolean knows(int s, int client, int clock) {
        if (clock < 0) {
            return false;
        }
        boolean grown = known[s][client] <= clock;
        known[s][client] = Math.max(known[s][client], clock + 1);
        int[] more = known[store.find(client, clock)];
        for (int c = 0; c < more.length; c++) {
            grown |= more[c] > known[s][c];
            known[s][c] = Math.max(known[s][c], more[c]);
        }
        return grown;
    }

    private boolean straight(int s) {
        if (store.parentSub.get(s) != NONE && store.right[s] != NONE && !store.isDeleted(s)) {
            return false;
        }
        int first = place[s];
        int last = place[s];
        while (first > 0 && rowAt[first - 1] != NONE) {
            first--;
        }
        while (rowAt[last] != NONE) {
            last++;
        }
        int from = first - 1;
        int to = last;
        if (store.hasOrigin(s)) {
            from = place[store.find(store.originClient.get(s), store.originClock[s])];
        }
        if (store.hasRightOrigin(s)) {
            to = place[store.find(store.rightClient.get(s), store.rightClock[s])];
        }
        if (from < first - 1 || from >= place[s] || to > last || to <= place[s]) {
            return false;
        }
        for (int at = from + 1; at < to; at++) {
            int other = rowAt[at];
            if (other != s && known[s][store.client.get(other)] > store.clock[other]) {
                return false;
            }
        }
        int neighbour = from >= first ? rowAt[from] : s;
        return store.parent.get(neighbour) == store.parent.get(s)
                && store.parentSub.get(neighbour) == store.parentSub.get(s);
    }
}
