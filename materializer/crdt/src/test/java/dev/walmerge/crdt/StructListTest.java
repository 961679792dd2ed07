package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Lists of many chunks against a plain model: which clocks begin a struct, and which are collected. */
class StructListTest {
    private static final int STEPS = 3_000;

    private StructStore store;
    private StructList list;
    private BitSet starts;
    private BitSet collected;
    private int state;

    /** {@code cuts} of ten steps cut, the others join: lists that grow, that shrink, and that stay. */
    @Property(tries = 40)
    void cutsAndJoinsAnywhere(@ForAll long seed, @ForAll @IntRange(min = 3, max = 8) int cuts) {
        store = new StructStore();
        list = new StructList();
        starts = new BitSet();
        collected = new BitSet();
        state = 0;
        Random random = new Random(seed);
        assertThat(list.isEmpty()).isTrue();
        assertThat(list.first()).isEqualTo(StructList.NONE);
        for (int i = 0; i < 400; i++) {
            append(random.nextInt(4) > 0, 1 + random.nextInt(60));
        }
        for (int step = 0; step < STEPS; step++) {
            int at = random.nextInt(state);
            if (step % 50 == 0) {
                append(random.nextBoolean(), 1 + random.nextInt(9));
            }
            if (random.nextInt(10) < cuts) {
                cut(at);
            } else {
                join(at, Math.min(state, at + 1 + random.nextInt(random.nextInt(10) == 0 ? state : 40)));
            }
            int asked = random.nextInt(state);
            assertThat(store.clock[list.row(list.position(asked, store.clock))])
                    .isEqualTo(starts.previousSetBit(asked));
            if (step % 100 == 0) {
                same();
            }
        }
        same();
        join(0, state);
        same();
    }

    private void append(boolean gc, int length) {
        list.append(struct(gc, state, length), store.clock);
        starts.set(state);
        collected.set(state, state + length, gc);
        state += length;
    }

    private int struct(boolean gc, int clock, int length) {
        int s = store.allocate(gc ? Kind.GC : Kind.BINARY);
        store.client.set(s, 0);
        store.clock[s] = clock;
        store.length.set(s, length);
        return s;
    }

    private void cut(int at) {
        int position = list.position(at, store.clock);
        int s = list.row(position);
        int clock = store.clock[s];
        if (clock < at) {
            int r = struct(store.isGc(s), at, store.end(s) - at);
            store.length.set(s, at - clock);
            int where = list.insertAfter(position, r, store.clock);
            assertThat(list.row(where)).isEqualTo(r);
            starts.set(at);
        }
    }

    /** Collected neighbours join; these kinds of items never do. */
    private void join(int from, int end) {
        int first = starts.previousSetBit(from);
        int last = starts.nextSetBit(end);
        list.join(store, from, end);
        for (int at = first; at != -1 && (last == -1 || at <= last); at = starts.nextSetBit(at + 1)) {
            if (at > 0 && collected.get(at) && collected.get(at - 1)) {
                starts.clear(at);
            }
        }
    }

    private void same() {
        int at = 0;
        int count = 0;
        for (int p = list.first(); p != StructList.NONE; p = list.next(p)) {
            int s = list.row(p);
            assertThat(store.clock[s]).isEqualTo(at);
            assertThat(starts.get(at)).isTrue();
            assertThat(store.isGc(s)).isEqualTo(collected.get(at));
            if (count % 64 == 0) {
                assertThat(list.countFrom(p)).isEqualTo(starts.cardinality() - count);
            }
            at = store.end(s);
            count++;
        }
        assertThat(at).isEqualTo(state);
        assertThat(count).isEqualTo(starts.cardinality()).isEqualTo(store.size());
        assertThat(store.end(list.newest())).isEqualTo(state);
    }
}
