package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The index against a walk over the list. */
class ListIndexTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);

    /** What the indexes of a document say of each place is what a walk finds. */
    static void assertTrue(Doc doc) {
        StructStore store = doc.store();
        for (int type = 0; type < store.types.size; type++) {
            if (store.order != null && store.order.covers(type)) {
                assertThat(store.order.length(type)).isEqualTo(TextView.length(store, type));
                int before = 0;
                int last = StructStore.NONE;
                boolean right = true;
                for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
                    right &= store.order.unitsBefore(s) == before;
                    for (int i = 0; i < store.order.visible(s); i++) {
                        store.order.seek(type, before + i);
                        right &= store.order.row == s && store.order.start == before;
                    }
                    before += store.order.visible(s);
                    last = s;
                }
                assertThat(right).isTrue();
                assertThat(store.order.last(type)).isEqualTo(last);
            }
        }
    }

    @Test
    void randomEditsOfTwoThatExchangeUpdates() throws Exception {
        for (boolean gc : new boolean[] {true, false}) {
            Random random = new Random(SEED);
            Doc a = Doc.create(gc);
            Doc b = Doc.create(gc);
            SharedText ours = a.edit(1).text("t");
            SharedText theirs = b.edit(2).text("t");
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 100; i++) {
                    edit(ours, random);
                    edit(theirs, random);
                }
                assertTrue(a);
                exchange(a, b);
                assertTrue(a);
                assertTrue(b);
                assertThat(theirs.toString()).isEqualTo(ours.toString());
                assertThat(a.sameContent(b)).isTrue();
                if (round % 10 == 5) {
                    a.dropIndexes();
                }
            }
            assertThat(a.store().order).as("seed " + SEED).isNotNull();
        }
    }

    /** What others type goes straight into the runs that are there, one unit or many at a time: the index must hear of it. */
    @Test
    void typedUpdatesBetweenEditsByIndex() throws Exception {
        for (boolean gc : new boolean[] {true, false}) {
            for (String alphabet : new String[] {"abc", "ab\u00e9\u4e2d"}) {
                Random random = new Random(SEED);
                Doc ours = Doc.create(gc);
                Doc theirs = Doc.create(gc);
                SharedText here = ours.edit(1).text("t");
                SharedText there = theirs.edit(2).text("t");
                int indexed = 0;
                for (int round = 0; round < 120; round++) {
                    deliver(ours, here, typed(theirs, there, alphabet, random), random);
                    indexed += ours.store().order == null ? 0 : 1;
                    assertTrue(ours);
                    Vectors.apply(theirs, UpdateFormat.V2, ours.drainChanges(UpdateFormat.V2));
                    theirs.discardChanges();
                    assertTrue(theirs);
                    assertThat(there.toString()).isEqualTo(here.toString());
                    if (round % 7 == 3) {
                        assertThat(ours.rest()).isTrue();
                    }
                }
                assertThat(ours.sameContent(theirs)).as("seed " + SEED).isTrue();
                assertThat(indexed).isGreaterThan(80);
            }
        }
    }

    /** An update a unit, of a writer who goes elsewhere or erases the last unit at times. */
    private static List<byte[]> typed(Doc doc, SharedText text, String alphabet, Random random) throws Exception {
        List<byte[]> updates = new ArrayList<>();
        int place = random.nextInt(text.length() + 1);
        for (int i = random.nextInt(60); i >= 0; i--) {
            if (random.nextInt(15) == 0) {
                place = random.nextInt(text.length() + 1);
            }
            if (place > 0 && random.nextInt(15) == 0) {
                text.delete(--place, 1);
            } else {
                int c = random.nextInt(alphabet.length());
                text.insert(place++, alphabet.substring(c, c + 1));
            }
            updates.add(doc.drainChanges(UpdateFormat.V1));
        }
        return updates;
    }

    private static void deliver(Doc ours, SharedText here, List<byte[]> updates, Random random) throws Exception {
        for (int from = 0; from < updates.size(); ) {
            int end = Math.min(updates.size(), from + 1 + random.nextInt(3) * random.nextInt(20));
            Vectors.apply(ours, UpdateFormat.V1, Updates.merge(UpdateFormat.V1, updates.subList(from, end)));
            if (random.nextInt(3) > 0) {
                edit(here, random);
            }
            from = end;
        }
    }

    private static void edit(SharedText text, Random random) {
        StringBuilder model = new StringBuilder(text.toString());
        int at = random.nextInt(model.length() + 1);
        if (random.nextInt(5) < 3 || model.length() < 20) {
            String more = "abcdefghij".substring(random.nextInt(9), 10);
            model.insert(at, more);
            text.insert(at, more);
        } else {
            int count = Math.min(model.length() - at, 1 + random.nextInt(12));
            model.delete(at, at + count);
            text.delete(at, count);
        }
        assertThat(text.toString()).isEqualTo(model.toString());
        assertThat(text.length()).isEqualTo(model.length());
    }

    private static void exchange(Doc a, Doc b) throws MalformedUpdateException {
        byte[] fromA = a.drainChanges(UpdateFormat.V2);
        byte[] fromB = b.drainChanges(UpdateFormat.V2);
        Vectors.apply(b, UpdateFormat.V2, fromA);
        Vectors.apply(a, UpdateFormat.V2, fromB);
        a.discardChanges();
        b.discardChanges();
    }

    /** Types that come and go: the slots of collected ones are used again by others. */
    @Test
    void listsOfCollectedTypes() {
        Random random = new Random(SEED);
        Doc doc = Doc.create(true);
        Editor editor = doc.edit(7);
        SharedMap map = editor.map("m");
        for (int round = 0; round < 60; round++) {
            SharedArray array = map.setArray("k" + random.nextInt(3));
            int length = 0;
            for (int i = 0; i < 60; i++) {
                if (length > 0 && random.nextInt(3) == 0) {
                    array.delete(random.nextInt(length--), 1);
                } else {
                    array.insert(random.nextInt(++length), i);
                }
            }
            assertThat(array.length()).isEqualTo(length);
            assertTrue(doc);
        }
        assertThat(doc.store().order).isNotNull();
    }
}
