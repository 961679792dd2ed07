package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Failures that users of similar systems reported, as small inputs: client 1, root t (text) or m (map). */
class CasesTest {
    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    private static int apply(Doc doc, String update) throws MalformedUpdateException {
        return Vectors.apply(doc, UpdateFormat.V1, hex(update));
    }

    private static Doc doc(String... updates) throws MalformedUpdateException {
        Doc doc = Doc.create(true);
        for (String update : updates) {
            apply(doc, update);
        }
        return doc;
    }

    private static MalformedUpdateException refused(UpdateFormat format, String update) {
        Doc doc = Doc.create(true);
        byte[] bytes = hex(update);
        MalformedUpdateException e =
                catchThrowableOfType(MalformedUpdateException.class, () -> Vectors.apply(doc, format, bytes));
        assertThat(e).isNotNull();
        assertThat(doc.stateVector()).containsExactly(0);
        assertThat(doc.encodeState(UpdateFormat.V1)).containsExactly(0, 0);
        assertThat(doc.roots()).isEmpty();
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
        return e;
    }

    private static MalformedUpdateException refused(String update) {
        return refused(UpdateFormat.V1, update);
    }

    @Test
    void unknownContentIsRefused() {
        assertThat(refused("01 01 01 00 0b 01 01 74 00").rule()).isEqualTo("unknown-content");
    }

    @Test
    void truncatedStringIsRefusedWithItsOffset() {
        MalformedUpdateException e = refused("01 01 01 00 04 01 01 74 05 61 62");
        assertThat(e.rule()).isEqualTo("truncated");
        assertThat(e.offset()).isEqualTo(8);
        assertThat(e).hasMessage("truncated at byte 8");
    }

    @Test
    void offsetsCountFromTheUpdateNotTheBuffer() {
        byte[] bytes = hex("ff ff ff 01 01 01 00 04 01 01 74 05 61 62 ff");
        MalformedUpdateException e = catchThrowableOfType(
                MalformedUpdateException.class, () -> Doc.create(true).apply(UpdateFormat.V1, bytes, 3, 11));
        assertThat(e.offset()).isEqualTo(8);
    }

    @Test
    void hugeCountsAreRefused() {
        assertThat(refused("01 80 80 80 80 10 01 00").rule()).isEqualTo("count-too-large");
        assertThat(refused("80 80 80 80 10").rule()).isEqualTo("count-too-large");
        assertThat(refused("01 01 01 00 08 01 01 6d ff ff ff ff 07").rule()).isEqualTo("count-too-large");
        assertThat(refused("00 80 80 80 80 10").rule()).isEqualTo("count-too-large");
        // V2: infos and lengths are endless runs of GC, and the rest claims 2^40 structs.
        String run = "00 00 01 01 00 00 01 00 00 00 00 02 41 00";
        assertThat(refused(UpdateFormat.V2, run + "01 80 80 80 80 80 20 00 00").rule())
                .isEqualTo("too-many-structs");
    }

    @Test
    void emptyStringBlockIsAcceptedAndNeverWritten() throws Exception {
        Doc doc = doc("01 01 01 00 04 01 01 74 00 00");
        assertThat(doc.encodeState(UpdateFormat.V1)).containsExactly(0, 0);
        assertThat(doc.structCount()).isZero();
        assertThat(apply(doc, "01 01 01 00 04 01 01 74 01 61 00")).isEqualTo(Doc.CHANGED);
        assertThat(Projection.bodyText(doc, null)).isEqualTo("a");
    }

    @Test
    void secondUpdateFirstWaitsForTheFirst() throws Exception {
        Doc doc = Doc.create(true);
        String first = "01 01 01 00 04 01 01 74 01 61 00";
        String second = "01 01 01 01 84 01 00 01 62 00";
        assertThat(apply(doc, second)).isEqualTo(Doc.PARKED);
        assertThat(doc.pending().missing()).containsExactly(entry(1L, 0));
        assertThat(doc.pending().deletes()).isFalse();
        assertThat(doc.hasPending()).isTrue();
        assertThat(Projection.bodyText(doc, null)).isEmpty();
        assertThat(doc.contains(UpdateFormat.V1, hex(second), 0, hex(second).length))
                .isFalse();
        assertThat(apply(doc, first)).isEqualTo(Doc.CHANGED);
        assertThat(doc.pending()).isNull();
        assertThat(Projection.bodyText(doc, null)).isEqualTo("ab");
        assertThat(doc.structCount()).isEqualTo(1);
    }

    @Test
    void deleteThatIsEarlyWaits() throws Exception {
        Doc doc = Doc.create(true);
        assertThat(apply(doc, "00 01 01 01 00 01")).isEqualTo(Doc.PARKED);
        assertThat(doc.pending().deletes()).isTrue();
        assertThat(doc.pending().missing()).isEmpty();
        assertThat(apply(doc, "01 01 01 00 04 01 01 74 02 61 62 00")).isEqualTo(Doc.CHANGED);
        assertThat(doc.hasPending()).isFalse();
        assertThat(Projection.bodyText(doc, null)).isEqualTo("b");
    }

    @Test
    void leadingSkipIsParkedAndNeverInTheState() throws Exception {
        Doc doc = Doc.create(true);
        assertThat(apply(doc, "01 02 01 00 0a 01 04 01 01 74 01 62 00")).isEqualTo(Doc.PARKED);
        assertThat(Projection.bodyText(doc, null)).isEmpty();
        assertThat(doc.pending().missing()).containsKey(1L);
        assertThat(doc.encodeState(UpdateFormat.V1)).containsExactly(0, 0);
        assertThat(doc.stateVector()).containsExactly(0);
        // As yjs gives it: the Skip is not needed where nothing of the client is known.
        assertThat(doc.encodeStateWithPending(UpdateFormat.V1)).isEqualTo(hex("01 01 01 01 04 01 01 74 01 62 00"));
    }

    @Test
    void stateVectorNeverRegressesWhenATruncatedStateIsRead() throws Exception {
        Doc doc = doc("01 01 01 00 04 01 01 74 05 68 65 6c 6c 6f 00");
        byte[] state = doc.encodeState(UpdateFormat.V1);
        for (int cut = 0; cut < state.length; cut++) {
            int length = cut;
            assertThat(catchThrowableOfType(
                            MalformedUpdateException.class, () -> doc.apply(UpdateFormat.V1, state, 0, length)))
                    .isNotNull();
            assertThat(doc.stateVector()).isEqualTo(hex("01 01 05"));
        }
    }

    @Test
    void oneKeyHasOneWinnerInEveryOrder() throws Exception {
        List<String> sets = List.of(
                "01 01 01 00 28 01 01 6d 01 61 01 7d 01 00",
                "01 01 02 00 28 01 01 6d 01 62 01 7d 01 00",
                "01 01 03 00 28 01 01 6d 01 61 01 7d 02 00");
        int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (int[] order : orders) {
            Doc doc = doc(sets.get(order[0]), sets.get(order[1]), sets.get(order[2]));
            assertThat(Vectors.JSON.readTree(Projection.bodyJson(doc)))
                    .isEqualTo(Vectors.JSON.readTree("{\"m\":{\"a\":2,\"b\":1}}"));
        }
        List<String> ofOneKey = List.of(
                "01 01 01 00 28 01 01 6d 01 6b 01 7d 01 00",
                "01 01 02 00 28 01 01 6d 01 6b 01 7d 01 00",
                "01 01 03 00 28 01 01 6d 01 6b 01 7d 02 00");
        byte[] state = null;
        for (int[] order : orders) {
            Doc doc = doc(ofOneKey.get(order[0]), ofOneKey.get(order[1]), ofOneKey.get(order[2]));
            assertThat(Projection.bodyJson(doc)).isEqualTo("{\"m\":{\"k\":2}}");
            state = state == null ? doc.encodeState(UpdateFormat.V1) : state;
            assertThat(doc.encodeState(UpdateFormat.V1)).isEqualTo(state);
        }
    }

    @Test
    void batchThatDependsOnTheOlderStateLosesNothing() throws Exception {
        Doc older = doc("01 01 01 00 04 01 01 74 02 61 62 00");
        Doc batch = doc("01 01 02 00 c4 01 00 01 01 01 58 00", "00 01 01 01 01 01");
        Doc folded = Doc.create(true);
        Vectors.apply(folded, UpdateFormat.V1, batch.encodeStateWithPending(UpdateFormat.V1));
        Vectors.apply(folded, UpdateFormat.V1, older.encodeState(UpdateFormat.V1));
        assertThat(Projection.bodyText(folded, null)).isEqualTo("aX");
        assertThat(folded.hasPending()).isFalse();
    }

    @Test
    void sameIdWithOtherContentIsFlaggedAndTheFirstStays() throws Exception {
        Doc doc = doc("01 01 01 00 04 01 01 74 01 61 00");
        assertThat(apply(doc, "01 01 01 00 04 01 01 74 01 62 00")).isEqualTo(Doc.CONFLICT);
        assertThat(Projection.bodyText(doc, null)).isEqualTo("a");
        assertThat(apply(doc, "01 01 01 00 08 01 01 74 01 7e 00")).isEqualTo(Doc.CONFLICT);
        assertThat(apply(doc, "01 01 01 00 04 01 01 74 01 61 00")).isZero();
        // Half of it known: the known half differs, the rest is new.
        assertThat(apply(doc, "01 01 01 00 04 01 01 74 02 62 63 00")).isEqualTo(Doc.CONFLICT | Doc.CHANGED);
        assertThat(Projection.bodyText(doc, null)).isEqualTo("ac");
        assertThat(apply(doc, "01 01 01 00 04 01 01 74 03 61 63 64 00")).isEqualTo(Doc.CHANGED);
        Doc map = doc("01 01 01 00 28 01 01 6d 01 61 01 7d 01 00");
        assertThat(apply(map, "01 01 01 00 28 01 01 6d 01 61 01 7d 02 00")).isEqualTo(Doc.CONFLICT);
    }

    @Test
    void textSeededTwiceDoubles() throws Exception {
        Doc doc = doc("01 01 01 00 04 01 01 74 02 68 69 00", "01 01 02 00 04 01 01 74 02 68 69 00");
        assertThat(Projection.bodyText(doc, null)).isEqualTo("hihi");
        assertThat(doc.repeatedSeeds()).containsExactly(new RepeatedSeed(1, 2, 2));
        apply(doc, "00 01 02 01 00 02");
        assertThat(Projection.bodyText(doc, null)).isEqualTo("hi");
        assertThat(doc.repeatedSeeds()).isEmpty();
    }

    @Test
    void whatIsNoRepeatedSeed() throws Exception {
        // Other text, another root, one letter, one of a client that saw the first, and a value of one key.
        String first = "01 01 01 00 04 01 01 74 02 68 69 00";
        for (String second : List.of(
                "01 01 02 00 04 01 01 74 02 68 6f 00",
                "01 01 02 00 04 01 01 75 02 68 69 00",
                "01 01 02 00 04 01 01 74 01 68 00",
                "01 01 02 00 84 01 01 02 68 69 00")) {
            Doc doc = doc(first, second);
            assertThat(doc.repeatedSeeds()).as(second).isEmpty();
        }
        String value = " 00 28 01 01 6d 01 6b 02 77 01 61 77 01 62 00";
        assertThat(doc("01 01 01" + value, "01 01 02" + value).repeatedSeeds()).isEmpty();
    }

    @Test
    void templateSeededTwiceIsFoundWhenBothWentOn() throws Exception {
        // A paragraph with 16 letters, by clients 1, 2 and 9; then 1 and 2 type on by themselves.
        String tail = " 00 07 01 01 78 03 01 70 07 00 %s 00 06 04 00 %s 01 10" + " 61".repeat(16);
        Doc doc = Doc.create(true);
        for (String client : List.of("09", "02", "01")) {
            apply(doc, "01 03 " + client + tail.formatted(client, client) + " 00");
        }
        apply(doc, "01 01 01 12 84 01 11 01 62 00");
        apply(doc, "01 01 02 12 84 02 11 01 63 00");
        assertThat(Projection.xml(doc, "x"))
                .isEqualTo("<p>aaaaaaaaaaaaaaaab</p><p>aaaaaaaaaaaaaaaac</p><p>aaaaaaaaaaaaaaaa</p>");
        assertThat(doc.repeatedSeeds()).containsExactly(new RepeatedSeed(1, 2, 18), new RepeatedSeed(2, 9, 18));
        Doc loaded = Doc.create(true);
        Vectors.apply(loaded, UpdateFormat.V2, doc.encodeState(UpdateFormat.V2));
        assertThat(loaded.repeatedSeeds()).isEqualTo(doc.repeatedSeeds());
    }

    @Test
    void repeatedAndOverlappingUpdatesChangeNothing() throws Exception {
        Doc doc = doc("01 01 01 00 04 01 01 74 03 61 62 63 00");
        byte[] state = doc.encodeState(UpdateFormat.V1);
        assertThat(apply(doc, "01 01 01 00 04 01 01 74 03 61 62 63 00")).isZero();
        assertThat(apply(doc, "01 01 01 00 04 01 01 74 02 61 62 00")).isZero();
        assertThat(apply(doc, "01 01 01 01 84 01 00 01 62 00")).isZero();
        assertThat(doc.encodeState(UpdateFormat.V1)).isEqualTo(state);
        assertThat(apply(doc, "01 01 01 01 84 01 00 03 62 63 64 00")).isEqualTo(Doc.CHANGED);
        assertThat(Projection.bodyText(doc, null)).isEqualTo("abcd");
        assertThat(doc.structCount()).isEqualTo(1);
    }

    @Test
    void pairIsTwoUnitsAndHalvesBecomeReplacements() throws Exception {
        Doc doc = doc("01 01 01 00 04 01 01 74 06 41 f0 9f 93 8a 42 00");
        assertThat(doc.stateVector()).isEqualTo(hex("01 01 04"));
        apply(doc, "01 01 02 00 c4 01 01 01 02 01 7c 00");
        assertThat(Projection.text(doc, "t")).isEqualTo("A\uFFFD|\uFFFDB");
    }

    @Test
    void manySetsOfTwoKeysStaySmallAndLoadFast() throws Exception {
        Doc doc = Doc.create(true);
        int count = 200_000;
        ByteWriter update = new ByteWriter();
        for (int clock = 0; clock < count; clock++) {
            update.clear();
            setKey(update, clock, clock % 2 == 0 ? "a" : "b", clock);
            assertThat(doc.apply(UpdateFormat.V1, update.array(), 0, update.size()))
                    .isEqualTo(Doc.CHANGED);
        }
        byte[] state = doc.encodeState(UpdateFormat.V2);
        assertThat(state.length).isLessThan(200);
        Doc loaded = Doc.create(true);
        long start = System.nanoTime();
        Vectors.apply(loaded, UpdateFormat.V2, state);
        assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
        assertThat(loaded.sameContent(doc)).isTrue();
        assertThat(Projection.bodyJson(loaded)).isEqualTo("{\"m\":{\"a\":199998,\"b\":199999}}");
    }

    private static void setKey(ByteWriter update, int clock, String key, int value) {
        update.varUint(1);
        update.varUint(1);
        update.varUint(1);
        update.varUint(clock);
        update.u8(Kind.ANY | StructBuffer.HAS_SUB | (clock < 2 ? 0 : StructBuffer.HAS_ORIGIN));
        if (clock < 2) {
            update.varUint(1);
            update.string("m");
            update.string(key);
        } else {
            update.varUint(1);
            update.varUint(clock - 2);
        }
        update.varUint(1);
        AnyValue.writeNumber(update, value);
        update.varUint(0);
    }

    @Test
    void corruptStateIsNoticed() throws Exception {
        Doc doc = doc("01 01 01 00 04 01 01 74 05 68 65 6c 6c 6f 00");
        byte[] state = doc.encodeState(UpdateFormat.V1);
        state[10] ^= 1;
        Doc read = Doc.create(true);
        Vectors.apply(read, UpdateFormat.V1, state);
        assertThat(read.sameContent(doc)).isFalse();
    }

    @Test
    void manyChangesOfOneKeyAreOneTombstone() throws Exception {
        Doc doc = Doc.create(true);
        ByteWriter update = new ByteWriter();
        for (int clock = 0; clock < 100_000; clock++) {
            update.clear();
            update.varUint(1);
            update.varUint(1);
            update.varUint(1);
            update.varUint(clock);
            update.u8(Kind.ANY | StructBuffer.HAS_SUB | (clock == 0 ? 0 : StructBuffer.HAS_ORIGIN));
            update.varUint(1);
            if (clock == 0) {
                update.string("m");
                update.string("k");
            } else {
                update.varUint(clock - 1);
            }
            update.varUint(1);
            AnyValue.writeNumber(update, clock);
            update.varUint(0);
            doc.apply(UpdateFormat.V1, update.array(), 0, update.size());
        }
        assertThat(doc.structCount()).isEqualTo(2);
        assertThat(doc.encodeState(UpdateFormat.V1).length).isLessThan(40);
        assertThat(Projection.bodyJson(doc)).isEqualTo("{\"m\":{\"k\":99999}}");
    }

    @Test
    void bytesThatWentThroughTextAreRefused() throws Exception {
        // The id e3 c1 8a b6 0d, read as Latin-1 and written as UTF-8, and read as UTF-8 with replacements.
        String tail = " 00 04 01 01 74 01 61 00";
        assertThat(refused("01 01 c3 a3 c3 81 c2 8a c2 b6 0d" + tail).rule()).isEqualTo("varint-overflow");
        assertThat(refused("01 01 ef bf bd ef bf bd ef bf bd ef bf bd 0d" + tail)
                        .rule())
                .isEqualTo("varint-overflow");
        // An id of two bytes still makes a number: nothing in the bytes tells, but it is a whole update of another
        // client.
        Doc other = doc("01 01 c3 88 01" + tail);
        assertThat(Projection.bodyText(other, null)).isEqualTo("a");
        assertThat(refused("01 01 01 00 04 01 01 74 03 ef bf 00").rule()).isEqualTo("invalid-utf8");
        assertThat(refused("01 01 01 00 04 01 01 74 02 c3 28 00").rule()).isEqualTo("invalid-utf8");
        assertThat(refused("01 01 01 00 04 01 01 74 03 ed a0 80 00").rule()).isEqualTo("invalid-utf8");
    }

    @Test
    void formatIsBindingAndAllBytesMustBeUsed() throws Exception {
        String v2 = "0000010100000104060374616201020101000001010000";
        assertThat(refused(v2).rule()).isEqualTo("trailing-bytes");
        assertThat(refused(v2).offset()).isEqualTo(2);
        Doc doc = Doc.create(true);
        assertThat(Vectors.apply(doc, UpdateFormat.V2, hex(v2))).isEqualTo(Doc.CHANGED);
        assertThat(Projection.bodyText(doc, "t")).isEqualTo("ab");
        String one = "01 01 01 00 04 01 01 74 01 61 00";
        assertThat(refused(one + one).rule()).isEqualTo("trailing-bytes");
        assertThat(refused(UpdateFormat.V2, v2 + v2).rule()).isEqualTo("trailing-bytes");
    }

    @Test
    void bigintIsExact() throws Exception {
        Doc doc = doc("01 01 01 00 28 01 01 6d 01 6b 01 7a 7f ff ff ff ff ff ff ff 00");
        assertThat(Projection.bodyJson(doc)).isEqualTo("{\"m\":{\"k\":9223372036854775807}}");
        assertThat(Projection.json(doc, "m", RootType.MAP))
                .isEqualTo("{\"k\":{\"$t\":\"bigint\",\"v\":\"9223372036854775807\"}}");
    }

    @Test
    void nulIsReplacedInViewsAndKeptInTheState() throws Exception {
        Doc doc = doc("01 01 01 00 04 01 01 74 01 00 00");
        assertThat(Projection.bodyText(doc, null)).isEqualTo("\uFFFD");
        assertThat(doc.encodeState(UpdateFormat.V1)).isEqualTo(hex("01 01 01 00 04 01 01 74 01 00 00"));
        Doc map = doc("01 01 01 00 28 01 01 6d 01 00 01 77 01 00 00");
        assertThat(Projection.bodyJson(map)).isEqualTo("{\"m\":{\"\uFFFD\":\"\uFFFD\"}}");
    }

    @Test
    void notANumberIsNullInJsonb() throws Exception {
        Doc doc = doc("01 01 01 00 28 01 01 6d 01 6b 01 7b 7f f8 00 00 00 00 00 00 00");
        assertThat(Projection.bodyJson(doc)).isEqualTo("{\"m\":{\"k\":null}}");
        assertThat(Projection.json(doc, "m", RootType.MAP)).isEqualTo("{\"k\":{\"$t\":\"nan\"}}");
    }

    @Test
    void selfReferenceIsRefused() {
        assertThat(refused("01 01 01 00 84 01 00 01 62 00").rule()).isEqualTo("future-reference");
        assertThat(refused("01 01 01 00 84 01 07 01 62 00").rule()).isEqualTo("future-reference");
        assertThat(refused("01 01 01 ff ff ff ff 07 84 02 00 01 62 00").rule()).isEqualTo("clock-too-large");
        assertThat(refused("01 01 ff ff ff ff ff ff ff 1f 00 00 01 00").rule()).isEqualTo("varint-overflow");
    }

    @Test
    void pendingIsBounded() throws Exception {
        Doc doc = Doc.create(true, new Limits(1000, 3, 1 << 20));
        List<byte[]> early = new ArrayList<>();
        for (int client = 2; client < 6; client++) {
            early.add(hex("01 01 0" + client + " 01 04 01 01 74 01 62 00"));
        }
        for (int i = 0; i < 3; i++) {
            assertThat(Vectors.apply(doc, UpdateFormat.V1, early.get(i))).isEqualTo(Doc.PARKED);
        }
        MalformedUpdateException e = catchThrowableOfType(
                MalformedUpdateException.class, () -> Vectors.apply(doc, UpdateFormat.V1, early.get(3)));
        assertThat(e.rule()).isEqualTo("pending-limit");
        assertThat(apply(doc, "01 01 02 00 04 01 01 74 01 61 00")).isEqualTo(Doc.CHANGED);
        assertThat(Vectors.apply(doc, UpdateFormat.V1, early.get(3))).isEqualTo(Doc.PARKED);
        assertThat(doc.pending().missing().keySet()).containsExactly(3L, 4L, 5L);
    }
}
