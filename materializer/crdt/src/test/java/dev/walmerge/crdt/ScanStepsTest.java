package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.crdt.CrookedHistory.Item;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Many writers at few places, who come in an order that makes each meet all who came before: what their scans take grows with
 * their number, not with its square. Steps are counted, not timed.
 */
class ScanStepsTest {
    private static final long SEED = Long.getLong("walmerge.seed", System.nanoTime() & 0xffffff);
    private static final int WRITERS = 20_000;

    /** A scan that is not remembered; with as many writers at each place before one is. */
    private static final int SHORT = 256;

    private static final long BASE = 1;
    private static final Id GATE = new Id(2, 0);
    private static final int FIRST = 1000;

    @Test
    void upwardsToPlacesInTurn() throws Exception {
        for (int places : new int[] {1, 2, 16, 60}) {
            int steps = steps(new Item(new Id(BASE, 0), places, Kind.STRING, null, null, -1), upwards(), places);
            assertThat(steps).as("%d places", places).isLessThan(places * SHORT * SHORT / 2 + 2 * WRITERS);
        }
    }

    /** Each one that comes is the first one to be put into its place, and so cuts the text that it goes into. */
    @Test
    void upwardsWhileTheTextIsCut() throws Exception {
        List<Item> items = new ArrayList<>();
        Item base = new Item(new Id(BASE, 0), WRITERS, Kind.STRING, null, null, -1);
        for (int n = 0; n < WRITERS; n++) {
            boolean cuts = n % 3 == 2;
            Id origin = new Id(BASE, cuts ? WRITERS - 1 - n : WRITERS - 1);
            items.add(Item.of(FIRST + n, 1, origin, cuts ? new Id(BASE, WRITERS - n) : null));
        }
        assertThat(steps(base, items)).isLessThan(SHORT * SHORT / 2 + 2 * WRITERS);
    }

    @Test
    void inAnyOrder() throws Exception {
        for (int places : new int[] {1, 2}) {
            List<Integer> order = upwards();
            Collections.shuffle(order, Seeds.of(SEED, places));
            int steps = steps(new Item(new Id(BASE, 0), places, Kind.STRING, null, null, -1), order, places);
            assertThat(steps).as("seed %d", SEED).isLessThan(2 * SHORT * WRITERS);
        }
    }

    /** The second place is behind the first writer of the first one; the third has another right origin. */
    @Test
    void placesWithinEachOther() throws Exception {
        List<Item> items = new ArrayList<>();
        Id last = new Id(BASE, 1);
        for (int n = 0; n < WRITERS; n++) {
            Id origin = n % 3 == 1 ? new Id(FIRST, 1) : new Id(BASE, 0);
            items.add(Item.of(FIRST + n, 1, origin, n % 3 == 2 ? last : null));
        }
        Item base = new Item(new Id(BASE, 0), 2, Kind.STRING, null, null, -1);
        assertThat(steps(base, items)).isLessThan(3 * SHORT * SHORT / 2 + 4 * WRITERS);
    }

    private static List<Integer> upwards() {
        List<Integer> order = new ArrayList<>();
        for (int n = 0; n < WRITERS; n++) {
            order.add(n);
        }
        return order;
    }

    private static int steps(Item base, List<Integer> order, int places) throws Exception {
        List<Item> items = new ArrayList<>();
        for (int n = 0; n < order.size(); n++) {
            items.add(Item.of(FIRST + order.get(n), 1, new Id(BASE, n % places), null));
        }
        return steps(base, items);
    }

    /** What the scans of items take that come in this order in one merge, as each one's client waits for the one before. */
    private static int steps(Item base, List<Item> items) throws Exception {
        List<Item> all = new ArrayList<>();
        Id before = GATE;
        for (Item item : items) {
            Id first = new Id(item.id().client(), 0);
            all.add(Item.of(first.client(), 0, before, null));
            all.add(item);
            before = first;
        }
        Doc doc = Doc.create(true);
        Vectors.apply(doc, UpdateFormat.V1, CrookedHistory.update(base));
        Vectors.apply(doc, UpdateFormat.V1, CrookedHistory.together(all));
        assertThat(doc.hasPending()).isTrue();
        assertThat(doc.open().integrator.step).isZero();
        Vectors.apply(doc, UpdateFormat.V1, CrookedHistory.update(Item.of(GATE.client(), 0, null, null)));
        assertThat(doc.hasPending()).isFalse();
        return doc.open().integrator.step;
    }
}
