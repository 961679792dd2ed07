package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is read, written, drained or applied within a transaction has all edits so far, and loses none of them. */
class TransactionReadsTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_201L);

    private final Doc doc = Doc.create(true);
    private final Editor editor = doc.edit(1);
    private final SharedText text = editor.text("t");

    private static String hex(byte[] bytes) {
        return bytes == null ? null : HexFormat.of().formatHex(bytes);
    }

    @Test
    void doesNotRest() {
        text.insert(0, "hello");
        editor.map("m").set("k", 1);
        doc.discardChanges();
        editor.transact(() -> {
            text.delete(0, 2);
            assertThat(doc.rest()).isFalse();
        });
        assertThat(text).hasToString("llo");
        assertThat(doc.rest()).isFalse();
        assertThat(hex(doc.drainChanges(UpdateFormat.V1))).isEqualTo("000101010002");
        Editor other = doc.edit(2);
        editor.transact(() -> other.transact(() -> {
            other.map("m").delete("k");
            assertThat(doc.rest()).isFalse();
        }));
        assertThat(hex(doc.drainChanges(UpdateFormat.V1))).isEqualTo("000101010501");
        assertThat(doc.rest()).isTrue();
        editor.transact(() -> assertThat(doc.rest()).isFalse());
        assertThat(doc.rest()).isTrue();
        assertThat(text).hasToString("llo");
    }

    @Test
    void anEditThatThrowsEndsTheTransaction() {
        text.insert(0, "hello");
        doc.discardChanges();
        assertThatThrownBy(() -> editor.transact(() -> {
                    text.delete(0, 2);
                    text.delete(9, 1);
                }))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(hex(doc.drainChanges(UpdateFormat.V1))).isEqualTo("000101010002");
        assertThat(doc.rest()).isTrue();
    }

    @Test
    void deletesAreInStatesOnceTheyAreKeptUp() throws Exception {
        text.insert(0, "hello");
        doc.discardChanges();
        doc.encodeStateSince(UpdateFormat.V1, new byte[] {0});
        editor.transact(() -> {
            text.delete(0, 2);
            // Structs of client 1: two freed units, then "llo" behind them.
            byte[] written = doc.encodeState(UpdateFormat.V1);
            assertThat(written).endsWith(1, 1, 1, 0, 2);
            Doc loaded = load(written);
            assertThat(Projection.text(loaded, "t")).isEqualTo("llo");
            assertThat(loaded.sameContent(doc)).isTrue();
            assertThat(doc.sameContent(loaded)).isTrue();
            assertThat(doc.snapshot()).isEqualTo(loaded.snapshot());
            assertThat(since(doc)).isEqualTo(written);
            assertThat(hex(doc.drainChanges(UpdateFormat.V1))).isEqualTo("000101010002");
            text.delete(0, 1);
        });
        assertThat(hex(doc.drainChanges(UpdateFormat.V1))).isEqualTo("000101010201");
    }

    @Test
    void discardedChangesAreThoseSoFar() {
        text.insert(0, "hello");
        doc.discardChanges();
        editor.transact(() -> {
            text.delete(0, 2);
            doc.discardChanges();
        });
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
        assertThat(doc.rest()).isTrue();
    }

    @Test
    void updatesMayCome() {
        Doc other = Doc.create(true);
        other.edit(2).text("t").insert(0, "xy");
        byte[] update = other.encodeState(UpdateFormat.V1);
        text.insert(0, "hello");
        doc.discardChanges();
        editor.transact(() -> {
            text.delete(0, 2);
            assertThat(apply(doc, update)).isEqualTo(Doc.CHANGED);
            text.delete(0, 1);
            assertThat(apply(doc, update)).isZero();
            text.insert(text.length(), "!");
        });
        assertThat(text.toString()).hasSize(5);
        Doc loaded = load(doc.encodeState(UpdateFormat.V1));
        assertThat(loaded.sameContent(doc)).isTrue();
        Doc fed = Doc.create(true);
        fed.edit(1).text("t").insert(0, "hello");
        apply(fed, doc.drainChanges(UpdateFormat.V1));
        assertThat(fed.sameContent(doc)).isTrue();
    }

    /** What waited for what an edit writes is there for a read, too. */
    @Test
    void whatWaitedComesWithARead() throws Exception {
        Doc other = Doc.create(true);
        other.edit(1).text("t").insert(0, "hello");
        byte[] vector = other.stateVector();
        other.edit(2).text("t").insert(5, "!");
        assertThat(apply(doc, other.encodeStateSince(UpdateFormat.V1, vector))).isEqualTo(Doc.PARKED);
        editor.transact(() -> {
            text.insert(0, "hello");
            assertThat(doc.pending()).isNull();
            assertThat(doc.hasPending()).isFalse();
            assertThat(text).hasToString("hello!");
            assertThat(doc.encodeStateWithPending(UpdateFormat.V1)).isEqualTo(other.encodeState(UpdateFormat.V1));
        });
        assertThat(doc.sameContent(other)).isTrue();
    }

    /** A snapshot and a document at it within a transaction. */
    @Test
    void historyWithinATransaction() {
        Doc kept = Doc.create(false);
        Editor own = kept.edit(1);
        own.text("t").insert(0, "hello");
        own.transact(() -> {
            own.text("t").delete(0, 2);
            Snapshot then = kept.snapshot();
            own.text("t").delete(0, 1);
            try {
                assertThat(Projection.text(kept.at(then), "t")).isEqualTo("llo");
            } catch (MalformedUpdateException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(own.text("t")).hasToString("lo");
    }

    /** Reads between edits: as if each edit were a transaction, and the end is that of a transaction without reads. */
    @Test
    void readsBetweenRandomEdits() {
        for (int n = 0; n < 60; n++) {
            boolean gc = n % 3 != 0;
            Doc read = Doc.create(gc);
            Doc single = Doc.create(gc);
            Doc whole = Doc.create(gc);
            Doc fed = Doc.create(gc);
            Editor[] editors = {read.edit(1), single.edit(1), whole.edit(1)};
            Random random = new Random(SEED + n);
            for (int round = 0; round < 8; round++) {
                List<Integer> seeds = new ArrayList<>();
                for (int i = random.nextInt(8); i >= 0; i--) {
                    seeds.add(random.nextInt());
                }
                editors[2].transact(() -> seeds.forEach(seed -> edit(editors[2], seed)));
                int what = random.nextInt(5);
                editors[0].transact(() -> {
                    for (int seed : seeds) {
                        edit(editors[0], seed);
                        edit(editors[1], seed);
                        compare(read, single, fed, what);
                    }
                });
                assertThat(read.encodeState(UpdateFormat.V2))
                        .as("seed %s, history %s", SEED, n)
                        .isEqualTo(whole.encodeState(UpdateFormat.V2));
                drain(read, fed);
                assertThat(fed.sameContent(read)).isTrue();
            }
        }
    }

    private static void compare(Doc read, Doc single, Doc fed, int what) {
        switch (what) {
            case 0 -> assertThat(read.encodeState(UpdateFormat.V1)).isEqualTo(single.encodeState(UpdateFormat.V1));
            case 1 -> assertThat(since(read)).isEqualTo(since(single));
            case 2 -> assertThat(read.snapshot()).isEqualTo(single.snapshot());
            case 3 -> assertThat(read.sameContent(single)).isTrue();
            default -> {
                drain(read, fed);
                assertThat(fed.sameContent(single)).isTrue();
            }
        }
        assertThat(read.rest()).isFalse();
    }

    private static void edit(Editor editor, int seed) {
        Random random = new Random(seed);
        SharedText text = editor.text("t");
        SharedArray array = editor.array("a");
        SharedMap map = editor.map("m");
        int length = text.length();
        int at = random.nextInt(length + 1);
        int count = random.nextInt(Math.min(4, length - at) + 1);
        switch (random.nextInt(9)) {
            case 0 -> text.insert(at, "b漢c");
            case 1 -> text.insert(at, "de");
            case 2, 3 -> text.delete(at, count);
            case 4 -> text.format(at, count, Map.of("b", random.nextBoolean()));
            case 5 -> map.set("k" + random.nextInt(3), random.nextInt(9));
            case 6 -> map.delete("k" + random.nextInt(3));
            case 7 -> array.insertMap(random.nextInt(array.length() + 1)).set("x", 1);
            default -> array.delete(0, Math.min(1, array.length()));
        }
    }

    private static void drain(Doc from, Doc to) {
        byte[] news = from.drainChanges(UpdateFormat.V1);
        if (news != null) {
            apply(to, news);
        }
    }

    private static byte[] since(Doc doc) {
        try {
            return doc.encodeStateSince(UpdateFormat.V1, new byte[] {0});
        } catch (MalformedUpdateException e) {
            throw new AssertionError(e);
        }
    }

    private static Doc load(byte[] state) {
        Doc loaded = Doc.create(true);
        apply(loaded, state);
        return loaded;
    }

    private static int apply(Doc doc, byte[] update) {
        try {
            return Vectors.apply(doc, UpdateFormat.V1, update);
        } catch (MalformedUpdateException e) {
            throw new AssertionError(e);
        }
    }
}
