package dev.walmerge.crdt;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a merge remembers of its long conflict scans, so that many clients at few places don't each pass all the others again; INTERNALS.md
 * says why the order is the same. Not longer, for rows stay what they are only within a merge.
 *
 * <p>Of a scan that passed nothing: the lowest client that has the item's origin. One that is not above it stays where it begins.
 *
 * <p>Of a scan that passed much: the item that was put where it ended. The scan of another one at that place by a higher client goes on
 * from there.
 */
final class LongScans {
    private static final int NONE = StructStore.NONE;

    /** So many places that looking at all of them costs no more than a scan that is not worth remembering. */
    private static final int PLACES = 256;

    private final StructStore store;

    private final Map<Zone, Long> lowest = new HashMap<>();
    private final Map<Place, Passed> places = new HashMap<>();

    /** Items with one origin; without one, those at the front of a list. */
    private record Zone(int originClient, int originClock, int parent, int sub) {}

    /** Items with the same origins. */
    private record Place(int originClient, int originClock, int rightClient, int rightClock, int parent, int sub) {}

    /** Some items of a place by client, which is their order in the list, too. */
    private static final class Passed {
        final TreeMap<Long, Integer> items = new TreeMap<>();

        /** The struct that ends with their origin, as long as it isn't cut. */
        int left = NONE;
    }

    LongScans(StructStore store) {
        this.store = store;
    }

    void forgetPlaces() {
        places.clear();
    }

    boolean knowLowest() {
        return !lowest.isEmpty();
    }

    /** Whether the lowest client with the item's origin is known. */
    boolean knowLowest(int s) {
        return !lowest.isEmpty() && lowest.containsKey(zone(s));
    }

    /** Whether no client with the item's origin is lower, as far as is known; it is the lowest then. */
    boolean isLowest(int s) {
        return isLowest(s, lowest.get(zone(s)));
    }

    /** The same, when the lowest was just found. */
    boolean isLowest(int s, long low) {
        long id = store.id(s);
        lowest.put(zone(s), Math.min(low, id));
        return id <= low;
    }

    /** A unit that was typed on has the one before it as its origin, which others may be remembered for. */
    void typedOn(int c, int originClock) {
        if (!lowest.isEmpty()) {
            lowest.computeIfPresent(
                    new Zone(c, originClock, NONE, NONE), (zone, low) -> Math.min(low, store.clients.id[c]));
        }
    }

    private Zone zone(int s) {
        return store.hasOrigin(s)
                ? new Zone(store.originClient.get(s), store.originClock[s], NONE, NONE)
                : new Zone(NONE, NONE, store.parent.get(s), store.parentSub.get(s));
    }

    private Place place(int s) {
        return new Place(
                store.originClient.get(s),
                store.originClock[s],
                store.rightClient.get(s),
                store.rightClock[s],
                store.parent.get(s),
                store.parentSub.get(s));
    }

    /** The item from which the scan of a new one may go on, as it would pass it and all before it; NONE when none is known. */
    int before(int s) {
        Passed passed = places.isEmpty() ? null : places.get(place(s));
        if (passed == null) {
            return NONE;
        }
        Map.Entry<Long, Integer> lower = passed.items.lowerEntry(store.id(s));
        return lower == null ? NONE : lower.getValue();
    }

    /** The scan of an item was long, or went on from another; it is put where it ended. */
    void ended(int s) {
        if (places.size() >= PLACES) {
            places.clear();
        }
        places.computeIfAbsent(place(s), place -> new Passed()).items.put(store.id(s), s);
    }

    /**
     * A scan whose steps have numbers above {@code begin} ended right behind {@code behind}. Where it began left of a place and ended among
     * its items, what was put there stops the scans of that place.
     */
    void moved(int begin, int behind) {
        if (places.isEmpty()) {
            return;
        }
        int end = store.seen[behind];
        for (Map.Entry<Place, Passed> entry : places.entrySet()) {
            int left = left(entry.getKey(), entry.getValue());
            if (left != NONE && isPassed(left, begin, end)) {
                TreeMap<Long, Integer> items = entry.getValue().items;
                while (!items.isEmpty() && !isPassed(items.lastEntry().getValue(), begin, end)) {
                    items.pollLastEntry();
                }
            }
        }
    }

    private boolean isPassed(int row, int begin, int end) {
        return store.seen[row] > begin && store.seen[row] <= end;
    }

    /** What a place is right behind; NONE for the front of a list, left of which nothing begins. */
    private int left(Place place, Passed passed) {
        if (place.originClock != NONE && (passed.left == NONE || store.end(passed.left) - 1 != place.originClock)) {
            passed.left = store.find(place.originClient, place.originClock);
        }
        return passed.left;
    }
}
