package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** One line of {@code src/test/generate/random-histories.mjs}: updates, and what yjs made of them. */
final class RandomHistory {
    static final Map<String, RootType> ROOTS = Map.of(
            "t", RootType.TEXT,
            "m", RootType.MAP,
            "a", RootType.ARRAY,
            "x", RootType.XML_FRAGMENT,
            "second", RootType.TEXT,
            "", RootType.TEXT);

    private final JsonNode record;
    private final String name;

    RandomHistory(JsonNode record) {
        this.record = record;
        this.name = "history " + record.get("n");
    }

    /** Fails where anything differs; true when all states had the bytes of yjs, too. */
    boolean check() throws Exception {
        assertThat(record.get("settled").booleanValue()).as(name).isTrue();
        Random random = new Random(record.get("n").intValue());
        boolean sameBytes = true;
        for (UpdateFormat format : UpdateFormat.values()) {
            List<byte[]> updates = Vectors.updates(record, format);
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < updates.size(); i++) {
                order.add(i);
            }
            for (int round = 0; round < 4; round++) {
                boolean gc = round != 3;
                Doc doc = Doc.create(gc);
                Doc follower = Doc.create(gc);
                for (int i : order) {
                    assertThat(Vectors.apply(doc, format, updates.get(i)) & Doc.CONFLICT)
                            .as(name)
                            .isZero();
                    if (random.nextInt(4) == 0) {
                        drain(doc, follower, format);
                    }
                }
                drain(doc, follower, format);
                assertThat(follower.sameContent(doc)).as(name).isTrue();
                sameBytes &= checkWhole(doc, gc);
                Collections.shuffle(order, random);
            }
            checkGroups(format);
            checkPart(format, updates);
        }
        return sameBytes;
    }

    private static void drain(Doc doc, Doc follower, UpdateFormat format) throws MalformedUpdateException {
        byte[] changes = doc.drainChanges(format);
        if (changes != null) {
            Vectors.apply(follower, format, changes);
        }
    }

    private boolean checkWhole(Doc doc, boolean gc) throws Exception {
        assertThat(doc.pending()).as(name).isNull();
        assertThat(doc.stateVector()).as(name).isEqualTo(bytes(record, "sv"));
        assertView(doc, record.get("view"));
        assertThat(Projection.xml(doc, "x"))
                .as(name)
                .isEqualTo(record.get("xml").textValue());
        boolean sameBytes = true;
        for (UpdateFormat format : UpdateFormat.values()) {
            byte[] state = doc.encodeState(format);
            Doc again = Doc.create(gc);
            Vectors.apply(again, format, state);
            assertThat(again.sameContent(doc)).as(name).isTrue();
            assertThat(again.encodeState(format)).as(name).isEqualTo(state);
            if (gc) {
                byte[] theirs = bytes(record, format == UpdateFormat.V1 ? "stateV1" : "stateV2");
                Doc loaded = Doc.create(true);
                Vectors.apply(loaded, format, theirs);
                assertThat(loaded.sameContent(doc)).as(name).isTrue();
                sameBytes &= Arrays.equals(state, theirs);
            }
        }
        return sameBytes;
    }

    /** What yjs merged without a document, gaps included. */
    private void checkGroups(UpdateFormat format) throws Exception {
        Doc doc = Doc.create(true);
        for (JsonNode group : record.get("groups")) {
            Vectors.apply(doc, format, bytes(group, format == UpdateFormat.V1 ? "v1" : "v2"));
        }
        checkWhole(doc, true);
    }

    private void checkPart(UpdateFormat format, List<byte[]> updates) throws Exception {
        JsonNode part = record.get("part");
        Doc doc = Vectors.replica(updates, format, true, Vectors.order(part.get("order")));
        assertView(doc, part.get("view"));
        assertThat(doc.stateVector()).as(name).isEqualTo(bytes(part, "sv"));
        checkPending(doc, part.get("pending"));
        for (UpdateFormat other : UpdateFormat.values()) {
            Doc again = Doc.create(true);
            Vectors.apply(again, other, doc.encodeStateWithPending(other));
            assertView(again, part.get("view"));
            Doc theirs = Doc.create(true);
            Vectors.apply(theirs, other, bytes(part, other == UpdateFormat.V1 ? "stateV1" : "stateV2"));
            assertView(theirs, part.get("view"));
            for (byte[] update : updates) {
                Vectors.apply(again, format, update);
                Vectors.apply(theirs, format, update);
            }
            checkWhole(again, true);
            checkWhole(theirs, true);
        }
        for (byte[] update : updates) {
            Vectors.apply(doc, format, update);
        }
        checkWhole(doc, true);
    }

    private void checkPending(Doc doc, JsonNode expected) {
        if (expected.isTextual()) {
            return; // Yjs left something lying that was ready
        }
        if (expected.isNull()) {
            assertThat(doc.pending()).as(name).isNull();
            return;
        }
        TreeMap<Long, Integer> missing = new TreeMap<>();
        expected.get("missing")
                .properties()
                .forEach(entry -> missing.put(
                        Long.parseLong(entry.getKey()), entry.getValue().intValue()));
        assertThat(doc.pending())
                .as(name)
                .isEqualTo(new Pending(missing, expected.get("ds").booleanValue()));
    }

    private void assertView(Doc doc, JsonNode expected) throws Exception {
        ObjectNode view = Vectors.JSON.createObjectNode();
        for (Map.Entry<String, RootType> root : ROOTS.entrySet()) {
            String tree = Projection.tree(doc, root.getKey(), root.getValue());
            view.set(root.getKey(), Vectors.JSON.readTree(tree));
        }
        if (!view.equals(expected)) {
            assertThat(view.toPrettyString()).as(name).isEqualTo(expected.toPrettyString());
            assertThat(view).as(name).isEqualTo(expected);
        }
    }

    private static byte[] bytes(JsonNode of, String member) {
        return Vectors.bytes(of.get(member));
    }
}
