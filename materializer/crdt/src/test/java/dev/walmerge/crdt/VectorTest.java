package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every recorded scenario, in every order, in both formats, one by one, merged and in part. */
class VectorTest {
    /** Yjs' receiver had run its formatting clean-up when the partial state was recorded, so its bytes are no target. */
    private static final Set<String> CLEANED_UP_IN_PART = Set.of("text-rich-004");

    /**
     * Likewise when the difference was recorded: its delete set holds formats the receiver found redundant. All other
     * differences are equal byte by byte.
     */
    private static final Set<String> CLEANED_UP_IN_DIFFERENCE = Set.of("text-rich-two-roots-003");

    @TestFactory
    Stream<DynamicTest> everyOrder() {
        return scenarios(VectorTest::checkOrders);
    }

    @TestFactory
    Stream<DynamicTest> mergedUpdates() {
        return scenarios(VectorTest::checkMerged);
    }

    @TestFactory
    Stream<DynamicTest> partialDelivery() {
        return scenarios(VectorTest::checkPartial);
    }

    @TestFactory
    Stream<DynamicTest> stateBytes() {
        return scenarios(VectorTest::checkStateBytes);
    }

    @TestFactory
    Stream<DynamicTest> reloadAndDifferences() {
        return scenarios(VectorTest::checkReload);
    }

    private interface Check {
        void run(JsonNode scenario) throws Exception;
    }

    private static Stream<DynamicTest> scenarios(Check check) {
        return Vectors.FAMILIES.stream()
                .flatMap(family -> Vectors.family(family).stream())
                .map(scenario -> DynamicTest.dynamicTest(scenario.get("id").textValue(), () -> check.run(scenario)));
    }

    private static List<int[]> orders(JsonNode scenario) {
        List<int[]> orders = new ArrayList<>();
        orders.add(Vectors.creationOrder(scenario.get("updates").size()));
        orders.add(Vectors.order(scenario.at("/orders/shuffledWithDuplicates")));
        orders.add(Vectors.order(scenario.at("/orders/reverse")));
        return orders;
    }

    private static void checkOrders(JsonNode scenario) throws Exception {
        for (UpdateFormat format : UpdateFormat.values()) {
            List<byte[]> updates = Vectors.updates(scenario, format);
            for (int[] order : orders(scenario)) {
                for (boolean gc : new boolean[] {true, false}) {
                    Doc doc = Vectors.replica(updates, format, gc, order);
                    checkView(doc, scenario);
                }
            }
        }
    }

    private static void checkView(Doc doc, JsonNode scenario) throws Exception {
        JsonNode expect = scenario.get("expect");
        assertThat(doc.pending()).isNull();
        assertThat(doc.stateVector()).isEqualTo(Vectors.bytes(expect.get("sv")));
        assertSame(Vectors.view(doc, scenario.get("roots")), Vectors.expectedView(expect));
    }

    private static void assertSame(ObjectNode actual, ObjectNode expected) {
        if (!actual.equals(expected)) {
            assertThat(actual.toPrettyString()).isEqualTo(expected.toPrettyString());
            assertThat(actual).isEqualTo(expected);
        }
    }

    private static void checkMerged(JsonNode scenario) throws Exception {
        for (UpdateFormat format : UpdateFormat.values()) {
            byte[] merged = Vectors.bytes(scenario.at(format == UpdateFormat.V1 ? "/merged/v1" : "/merged/v2"));
            Doc doc = Doc.create(true);
            assertThat(Vectors.apply(doc, format, merged)).isEqualTo(Doc.CHANGED);
            checkView(doc, scenario);
            assertThat(StateVectors.fromUpdate(format, merged, 0, merged.length))
                    .isEqualTo(Vectors.bytes(scenario.at("/merged/svFromUpdate")));
            assertThat(Vectors.apply(doc, format, merged)).isZero();
            for (byte[] update : Vectors.updates(scenario, format)) {
                assertThat(doc.contains(format, update, 0, update.length)).isTrue();
                assertThat(Vectors.apply(doc, format, update)).isZero();
            }
        }
        byte[] converted = Vectors.bytes(scenario.at("/merged/v1ToV2"));
        Doc doc = Doc.create(true);
        Vectors.apply(doc, UpdateFormat.V2, converted);
        checkView(doc, scenario);
    }

    private static void checkPartial(JsonNode scenario) throws Exception {
        JsonNode partial = scenario.get("partial");
        for (UpdateFormat format : UpdateFormat.values()) {
            Doc doc = Vectors.replica(
                    Vectors.updates(scenario, format), format, true, Vectors.order(partial.get("order")));
            assertThat(doc.stateVector()).isEqualTo(Vectors.bytes(partial.get("sv")));
            assertSame(Vectors.view(doc, scenario.get("roots")), Vectors.expectedView(partial));
            checkPending(doc, partial.get("pending"));
            if (!CLEANED_UP_IN_PART.contains(scenario.get("id").textValue())) {
                assertThat(doc.encodeStateWithPending(UpdateFormat.V1))
                        .isEqualTo(Vectors.bytes(partial.get("stateV1")));
                assertThat(doc.encodeStateWithPending(UpdateFormat.V2))
                        .isEqualTo(Vectors.bytes(partial.get("stateV2")));
            }
            Doc merged = Doc.create(true);
            Vectors.apply(
                    merged, format, Vectors.bytes(partial.get(format == UpdateFormat.V1 ? "mergedV1" : "mergedV2")));
            assertThat(merged.stateVector()).isEqualTo(doc.stateVector());
            assertSame(Vectors.view(merged, scenario.get("roots")), Vectors.expectedView(partial));
            Doc reloaded = Doc.create(true);
            Vectors.apply(reloaded, format, doc.encodeStateWithPending(format));
            for (byte[] update : Vectors.updates(scenario, format)) {
                Vectors.apply(reloaded, format, update);
                Vectors.apply(doc, format, update);
            }
            checkView(doc, scenario);
            checkView(reloaded, scenario);
            assertThat(reloaded.sameContent(doc)).isTrue();
        }
    }

    private static void checkPending(Doc doc, JsonNode expected) {
        TreeMap<Long, Integer> missing = new TreeMap<>();
        expected.at("/structs/missing")
                .properties()
                .forEach(entry -> missing.put(
                        Long.parseLong(entry.getKey()), entry.getValue().intValue()));
        Pending pending = doc.pending();
        if (missing.isEmpty() && !expected.path("ds").asBoolean()) {
            assertThat(pending).isNull();
        } else {
            assertThat(pending.missing()).isEqualTo(missing);
            assertThat(pending.deletes()).isEqualTo(expected.path("ds").asBoolean());
        }
    }

    private static void checkStateBytes(JsonNode scenario) throws Exception {
        JsonNode expect = scenario.get("noCleanup");
        boolean sameBytes = expect.get("bytesIndependentOfOrder").booleanValue();
        for (UpdateFormat format : UpdateFormat.values()) {
            for (int[] order : orders(scenario)) {
                Doc doc = Vectors.replica(Vectors.updates(scenario, format), format, true, order);
                if (sameBytes) {
                    assertThat(doc.encodeState(UpdateFormat.V1)).isEqualTo(Vectors.bytes(expect.get("stateV1")));
                    assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(Vectors.bytes(expect.get("stateV2")));
                }
            }
            if (sameBytes && scenario.at("/expect/cleanupTxns").intValue() == 0) {
                checkKept(scenario, format);
            }
            checkDifference(scenario, format);
        }
    }

    /**
     * Without GC, creation order only: whether a deleted pair was cut, and so became two U+FFFD, depends on what came first
     * in Yjs too.
     */
    private static void checkKept(JsonNode scenario, UpdateFormat format) throws Exception {
        List<byte[]> updates = Vectors.updates(scenario, format);
        Doc doc = Vectors.replica(updates, format, false, Vectors.creationOrder(updates.size()));
        assertThat(doc.encodeState(UpdateFormat.V1)).isEqualTo(Vectors.bytes(scenario.at("/expect/stateV1NoGc")));
        assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(Vectors.bytes(scenario.at("/expect/stateV2NoGc")));
    }

    private static void checkDifference(JsonNode scenario, UpdateFormat format) throws Exception {
        List<byte[]> updates = Vectors.updates(scenario, format);
        Doc doc = Vectors.replica(updates, format, true, Vectors.creationOrder(updates.size()));
        byte[] stateVector = Vectors.bytes(scenario.at("/diff/sv"));
        for (UpdateFormat written : UpdateFormat.values()) {
            byte[] ours = doc.encodeStateSince(written, stateVector);
            byte[] theirs = Vectors.bytes(scenario.at(written == UpdateFormat.V1 ? "/diff/docV1" : "/diff/docV2"));
            if (CLEANED_UP_IN_DIFFERENCE.contains(scenario.get("id").textValue())) {
                assertThat(ours).isNotEqualTo(theirs).hasSizeLessThanOrEqualTo(theirs.length);
                checkView(loaded(scenario, written, ours), scenario);
                checkView(loaded(scenario, written, theirs), scenario);
            } else {
                assertThat(ours).isEqualTo(theirs);
            }
        }
    }

    /** The first half of the updates with a difference on top. */
    private static Doc loaded(JsonNode scenario, UpdateFormat format, byte[] difference) throws Exception {
        List<byte[]> updates = Vectors.updates(scenario, format);
        Doc doc = Doc.create(true);
        for (int i = 0; i < updates.size() / 2; i++) {
            Vectors.apply(doc, format, updates.get(i));
        }
        Vectors.apply(doc, format, difference);
        return doc;
    }

    private static void checkReload(JsonNode scenario) throws Exception {
        for (boolean gc : new boolean[] {true, false}) {
            List<byte[]> updates = Vectors.updates(scenario, UpdateFormat.V1);
            Doc doc = Vectors.replica(updates, UpdateFormat.V1, gc, Vectors.creationOrder(updates.size()));
            for (UpdateFormat format : UpdateFormat.values()) {
                Doc reloaded = Doc.create(gc);
                Vectors.apply(reloaded, format, doc.encodeState(format));
                checkView(reloaded, scenario);
                assertThat(reloaded.sameContent(doc)).isTrue();
                Doc half = Doc.create(gc);
                for (int i = 0; i < updates.size() / 2; i++) {
                    Vectors.apply(half, UpdateFormat.V1, updates.get(i));
                }
                assertThat(half.sameContent(doc)).isFalse();
                Vectors.apply(half, format, doc.encodeStateSince(format, half.stateVector()));
                checkView(half, scenario);
                assertThat(half.sameContent(doc)).isTrue();
            }
        }
    }
}
