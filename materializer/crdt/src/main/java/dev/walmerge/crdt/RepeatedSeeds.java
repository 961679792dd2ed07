package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds clients whose structs from clock 0 on say the same and refer to nothing but each other. */
final class RepeatedSeeds {
    private static final int NONE = StructStore.NONE;

    /** Fewer common units could be two people who begin with the same word. */
    private static final int TELLING = 16;

    /** With how many others that begin alike a client is compared. */
    private static final int COMPARED = 8;

    private final StructStore store;
    private final Comparison comparison;

    RepeatedSeeds(StructStore store) {
        this.store = store;
        comparison = new Comparison(store, store);
    }

    /** Ordered by first, then second client. */
    List<RepeatedSeed> find() {
        List<RepeatedSeed> found = new ArrayList<>();
        LongIntMap newest = new LongIntMap();
        int[] before = new int[store.clients.size];
        int[] order = store.clients.byIdDescending();
        for (int n = store.clients.size - 1; n >= 0; n--) {
            int c = order[n];
            if (!own(c, 0)) {
                continue;
            }
            int alike = newest.get(firstUnit(c));
            before[c] = alike;
            newest.put(firstUnit(c), c);
            for (int tries = 0; alike != NONE && tries < COMPARED; tries++) {
                int units = common(alike, c);
                boolean all = units > 1 && !own(alike, units) && !own(c, units);
                if (all || units >= TELLING) {
                    found.add(new RepeatedSeed(store.clients.id[alike], store.clients.id[c], units));
                    break;
                }
                alike = before[alike];
            }
        }
        found.sort(Comparator.comparingLong(RepeatedSeed::first).thenComparingLong(RepeatedSeed::second));
        return found;
    }

    /** Whether the unit of a client at a clock is there, visible, and was put next to nothing of another client. */
    private boolean own(int c, int clock) {
        if (clock >= store.clients.state[c]) {
            return false;
        }
        int s = store.find(c, clock);
        if (store.isDeleted(s)) {
            return false;
        }
        int holder = store.types.item[store.parent.get(s)];
        return (!store.hasOrigin(s) || store.originClient.get(s) == c || clock > store.clock[s])
                && (!store.hasRightOrigin(s) || store.rightClient.get(s) == c)
                && (holder == NONE || store.client.get(holder) == c);
    }

    private long firstUnit(int c) {
        int s = store.find(c, 0);
        int unit = store.kind(s) == Kind.STRING ? store.contents.units.at(store.content[s]) : 0;
        return (long) store.kind(s) << 56 | (long) store.parent.get(s) << 16 | unit;
    }

    private int common(int a, int b) {
        int clock = 0;
        while (own(a, clock) && own(b, clock)) {
            int sa = store.find(a, clock);
            int sb = store.find(b, clock);
            if (!samePlace(sa, sb, clock)) {
                break;
            }
            int end = Math.min(store.end(sa), store.end(sb));
            if (!comparison.sameContent(sa, sb, clock, end)) {
                return clock + commonUnits(sa, sb, clock, end);
            }
            clock = end;
        }
        return clock;
    }

    private boolean samePlace(int sa, int sb, int clock) {
        return store.kind(sa) == store.kind(sb)
                && origin(sa, clock) == origin(sb, clock)
                && right(sa) == right(sb)
                && store.parentSub.get(sa) == store.parentSub.get(sb)
                && holder(sa) == holder(sb);
    }

    /** All clocks here are of the client itself. */
    private int origin(int s, int clock) {
        return clock > store.clock[s] ? clock - 1 : store.originClock[s];
    }

    private int right(int s) {
        return store.rightClock[s];
    }

    /** The clock of the item that holds the parent, or below 0 one number a root. */
    private int holder(int s) {
        int holder = store.types.item[store.parent.get(s)];
        return holder == NONE ? -1 - store.parent.get(s) : store.clock[holder];
    }

    private int commonUnits(int sa, int sb, int clock, int end) {
        int units = 0;
        while (store.kind(sa) == Kind.STRING
                && clock + units < end
                && comparison.sameContent(sa, sb, clock + units, clock + units + 1)) {
            units++;
        }
        return units;
    }
}
