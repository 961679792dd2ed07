package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** A document that rests now and then beside one that never does. */
class RestTest {
    private static final long SEED = Long.getLong("walmerge.seed", 20_261_203L);

    @TestFactory
    Stream<DynamicTest> restingChangesNothing() {
        return Vectors.eachScenario(SEED, RestTest::check);
    }

    private static void check(JsonNode scenario) throws Exception {
        Random random = new Random(SEED ^ scenario.get("seed").longValue());
        int[] order = Vectors.order(scenario.at("/orders/shuffledWithDuplicates"));
        for (UpdateFormat format : UpdateFormat.values()) {
            for (boolean gc : new boolean[] {true, false}) {
                List<byte[]> updates = Vectors.updates(scenario, format);
                Doc awake = Doc.create(gc);
                Doc resting = Doc.create(gc);
                for (int i : order) {
                    int flags = Vectors.apply(awake, format, updates.get(i));
                    assertThat(Vectors.apply(resting, format, updates.get(i))).isEqualTo(flags);
                    assertThat(resting.drainChanges(format)).isEqualTo(awake.drainChanges(format));
                    if (random.nextInt(3) == 0) {
                        // The deletes are kept up from the first time on; the whole state walks over all structs.
                        assertThat(awake.encodeStateSince(format, new byte[] {0}))
                                .isEqualTo(new StateEncoder(resting.store(), format).state());
                    }
                    if (random.nextInt(4) == 0 && !resting.hasPending()) {
                        rest(resting, awake);
                    }
                }
                rest(resting, awake);
                assertThat(resting.encodeState(UpdateFormat.V2)).isEqualTo(awake.encodeState(UpdateFormat.V2));
                assertThat(resting.encodeState(UpdateFormat.V1)).isEqualTo(awake.encodeState(UpdateFormat.V1));
                assertThat(Vectors.view(resting, scenario.get("roots")))
                        .isEqualTo(Vectors.view(awake, scenario.get("roots")));
                assertThat(resting.snapshot()).isEqualTo(awake.snapshot());
            }
        }
    }

    private static void rest(Doc resting, Doc awake) {
        if (!resting.rest()) {
            assertThat(Projection.bodyJson(resting)).contains("\ufffd");
            return;
        }
        assertThat(resting.rest()).isTrue();
        assertThat(resting.residentBytes())
                .isLessThan(awake.residentBytes())
                .isLessThan(awake.encodeState(UpdateFormat.V2).length + 200);
        assertThat(resting.hasPending()).isFalse();
        assertThat(resting.pending()).isNull();
        assertThat(resting.drainChanges(UpdateFormat.V1)).isNull();
        resting.discardChanges();
        assertThat(resting.structCount()).isEqualTo(awake.structCount());
        assertThat(resting.residentBytes()).isLessThan(awake.residentBytes());
        assertThat(resting.stateVector()).isEqualTo(awake.stateVector());
        assertThat(resting.sameContent(awake)).isTrue();
        assertThat(resting.rest()).isTrue();
    }

    @Test
    void doesNotRestWhileSomethingWouldBeLost() throws Exception {
        Doc doc = Doc.create(true);
        byte[] update = text(7, 0, "hello");
        doc.apply(UpdateFormat.V1, update, 0, update.length);
        assertThat(doc.rest()).isFalse();
        doc.discardChanges();
        assertThat(doc.rest()).isTrue();
        byte[] early = text(8, 1, "early");
        assertThat(doc.apply(UpdateFormat.V1, early, 0, early.length)).isEqualTo(Doc.PARKED);
        assertThat(doc.rest()).isFalse();
        assertThat(doc.hasPending()).isTrue();
        byte[] missing = text(8, 0, "m");
        assertThat(doc.apply(UpdateFormat.V1, missing, 0, missing.length)).isEqualTo(Doc.CHANGED);
        assertThat(doc.rest()).isFalse();
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNotNull();
        assertThat(doc.rest()).isTrue();
        assertThat(doc.structCount()).isEqualTo(3);
    }

    /** Two strings of a version 2 update may share a pair: each holds half of it, which no encoding of one alone can. */
    @Test
    void halfAPairKeepsADocumentAwake() throws Exception {
        for (String[] texts : new String[][] {{"a\ud83d", "\ude00b"}, {"\ud83d\ude00", "b"}, {"漢", "ÿ"}}) {
            WriterV2 out = new WriterV2();
            out.rest.varUint(2);
            for (int client = 8; client >= 7; client--) {
                out.rest.varUint(1);
                out.client(client);
                out.rest.varUint(0);
                out.info(Kind.STRING);
                out.parentIsRoot(true);
                Units units = new Units();
                units.add(texts[8 - client]);
                out.string("r" + client);
                out.units(units, 0, units.count);
            }
            out.rest.varUint(0);
            byte[] update = out.finish();
            Doc doc = Doc.create(true);
            doc.apply(UpdateFormat.V2, update, 0, update.length);
            doc.discardChanges();
            String text = Projection.text(doc, "r8");
            assertThat(doc.rest()).isEqualTo(ValueText.isWellFormed(text));
            assertThat(Projection.text(doc, "r8")).isEqualTo(text);
        }
    }

    @Test
    void anUnchangedStateIsEncodedOnce() throws Exception {
        Doc doc = Doc.create(true);
        byte[] update = text(7, 0, "hello");
        doc.apply(UpdateFormat.V1, update, 0, update.length);
        long before = doc.residentBytes();
        for (UpdateFormat format : UpdateFormat.values()) {
            byte[] first = doc.encodeState(format);
            assertThat(doc.residentBytes()).isEqualTo(before);
            for (int i = 0; i < 3; i++) {
                byte[] again = doc.encodeState(format);
                assertThat(again).isEqualTo(first).isNotSameAs(first);
                again[0] = 99;
                assertThat(doc.residentBytes()).isEqualTo(before + first.length);
            }
        }
        byte[] more = text(8, 0, "more");
        doc.apply(UpdateFormat.V1, more, 0, more.length);
        assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(new StateEncoder(doc.store(), UpdateFormat.V2).state());
        assertThat(doc.encodeState(UpdateFormat.V1)).isEqualTo(new StateEncoder(doc.store(), UpdateFormat.V1).state());
    }

    private static byte[] text(int client, int clock, String text) {
        ByteWriter out = new ByteWriter();
        out.varUint(1);
        out.varUint(1);
        out.varUint(client);
        out.varUint(clock);
        out.u8(Kind.STRING);
        out.varUint(1);
        out.string("t");
        out.string(text);
        out.varUint(0);
        return out.toBytes();
    }
}
