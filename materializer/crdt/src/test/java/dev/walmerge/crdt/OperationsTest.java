package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Overlapping merges, snapshots and relative positions of random histories, as yjs 13.6.33 gives them (operations.mjs): some
 * recorded, and new ones in each run ({@code walmerge.seed}, {@code walmerge.histories}, {@code walmerge.seconds}).
 */
class OperationsTest {
    private static final List<JsonNode> RECORDED = Vectors.read("/vectors/operations.jsonl.gz");
    private static final int SEED = Integer.getInteger("walmerge.seed", (int) (System.nanoTime() & 0xffffff));
    private static final int SECONDS = Integer.getInteger("walmerge.seconds", 10);

    /** However slow the machine is. */
    private static final int LEAST = 5;

    private static final int HISTORIES = Integer.getInteger("walmerge.histories", Integer.MAX_VALUE);

    @Test
    void mergesOfOverlappingUpdates() throws Exception {
        List<String> other = new ArrayList<>();
        for (JsonNode history : RECORDED) {
            other.addAll(merges(history));
        }
        assertThat(other).isEmpty();
    }

    @Test
    void snapshots() throws Exception {
        for (JsonNode history : RECORDED) {
            snapshots(history);
        }
    }

    @Test
    void relativePositions() throws Exception {
        int gone = 0;
        for (JsonNode history : RECORDED) {
            gone += relativePositions(history);
        }
        assertThat(gone).isPositive();
    }

    @Test
    void whatYjsGivesNow() throws Exception {
        Yjs yjs = Yjs.get();
        long end = System.nanoTime() + SECONDS * 1_000_000_000L / 3;
        List<String> other = new ArrayList<>();
        int histories = 0;
        int merges = 0;
        while (histories < HISTORIES
                && (HISTORIES < Integer.MAX_VALUE || histories < LEAST || System.nanoTime() < end)) {
            JsonNode history =
                    yjs.ask(Yjs.request("operations").put("seed", SEED).put("n", histories++));
            try {
                other.addAll(merges(history));
                snapshots(history);
                relativePositions(history);
            } catch (Throwable e) {
                String text =
                        "node operations.mjs, seed %d, history %d: %s%n%s%n".formatted(SEED, histories - 1, e, history);
                throw new AssertionError(Shrinker.report("operations-" + SEED, text), e);
            }
            merges += history.get("merges").size();
        }
        System.out.printf(
                "yjs: %d histories, %d merges, with other bytes: %s, seed %d%n", histories, merges, other, SEED);
        assertThat(histories).isPositive();
        // Yjs compares a GC with an item inconsistently, so which of the two it takes, and with it the size, depends on
        // its sort.
        assertThat(other).hasSizeLessThanOrEqualTo(2 + merges / 50);
    }

    /** Those with other bytes than Yjs. */
    private static List<String> merges(JsonNode history) throws Exception {
        List<String> other = new ArrayList<>();
        for (int i = 0; i < history.get("merges").size(); i++) {
            if (!merge(history.get("merges").get(i), Vectors.bytes(history.get("collected")))) {
                other.add(history.get("n") + "/" + i);
            }
        }
        return other;
    }

    private static boolean merge(JsonNode record, byte[] all) throws Exception {
        List<byte[]> inputs = new ArrayList<>();
        List<byte[]> inputsV2 = new ArrayList<>();
        for (JsonNode input : record.get("inputs")) {
            inputs.add(Vectors.bytes(input));
            inputsV2.add(Updates.convert(Vectors.bytes(input), UpdateFormat.V1, UpdateFormat.V2));
        }
        byte[] v1 = Updates.merge(UpdateFormat.V1, inputs);
        byte[] v2 = Updates.merge(UpdateFormat.V2, inputsV2);
        byte[] sv = Vectors.bytes(record.get("sv"));
        byte[] theirs = Vectors.bytes(record.get("v1"));
        if (!Arrays.equals(v1, theirs)) {
            sameDocument(v1, theirs, all);
            return false;
        }
        assertThat(v2).isEqualTo(Vectors.bytes(record.get("v2")));
        assertThat(Updates.convert(v2, UpdateFormat.V2, UpdateFormat.V1))
                .isEqualTo(Vectors.bytes(record.get("v2ToV1")));
        assertThat(StateVectors.fromUpdate(UpdateFormat.V2, v2, 0, v2.length))
                .isEqualTo(Vectors.bytes(record.get("svFromUpdate")));
        assertThat(Updates.diff(UpdateFormat.V1, v1, sv)).isEqualTo(Vectors.bytes(record.get("diffV1")));
        assertThat(Updates.diff(UpdateFormat.V2, v2, sv)).isEqualTo(Vectors.bytes(record.get("diffV2")));
        Doc merged = Doc.create(true);
        Doc oneByOne = Doc.create(true);
        Vectors.apply(merged, UpdateFormat.V1, v1);
        for (byte[] input : inputs) {
            Vectors.apply(oneByOne, UpdateFormat.V1, input);
        }
        if (merged.hasPending()) {
            // An input may have collected what another has as an item that waits: merged, the item is taken, as by Yjs.
            Vectors.apply(merged, UpdateFormat.V2, all);
            Vectors.apply(oneByOne, UpdateFormat.V2, all);
            assertThat(merged.hasPending()).isFalse();
        }
        assertThat(merged.sameContent(oneByOne)).isTrue();
        return true;
    }

    /** A collected struct lacks nothing, so ours may have less that waits; with the rest both are the same. */
    private static void sameDocument(byte[] ours, byte[] theirs, byte[] all) throws Exception {
        Doc a = Doc.create(true);
        Doc b = Doc.create(true);
        Vectors.apply(a, UpdateFormat.V1, ours);
        Vectors.apply(b, UpdateFormat.V1, theirs);
        for (Doc doc : List.of(a, b)) {
            Vectors.apply(doc, UpdateFormat.V2, all);
            assertThat(doc.hasPending()).isFalse();
        }
        assertThat(Vectors.JSON.readTree(Projection.bodyJson(a)))
                .isEqualTo(Vectors.JSON.readTree(Projection.bodyJson(b)));
        assertThat(a.stateVector()).isEqualTo(b.stateVector());
    }

    private static void snapshots(JsonNode history) throws Exception {
        Doc doc = Doc.create(false);
        Vectors.apply(doc, UpdateFormat.V2, Vectors.bytes(history.get("kept")));
        byte[] before = doc.encodeState(UpdateFormat.V2);
        for (JsonNode stage : history.get("stages")) {
            byte[] v1 = Vectors.bytes(stage.get("v1"));
            byte[] v2 = Vectors.bytes(stage.get("v2"));
            Snapshot snapshot = Snapshot.decode(UpdateFormat.V1, v1);
            assertThat(Snapshot.decode(UpdateFormat.V2, v2)).isEqualTo(snapshot).hasSameHashCodeAs(snapshot);
            assertThat(snapshot.encode(UpdateFormat.V1)).isEqualTo(v1);
            assertThat(snapshot.encode(UpdateFormat.V2)).isEqualTo(v2);
            assertThat(doc.snapshot()).isNotEqualTo(snapshot);
            Doc then = doc.at(snapshot);
            assertThat(then.snapshot()).isEqualTo(snapshot);
            assertView(then, stage);
            assertThat(then.at(snapshot).sameContent(then)).isTrue();
        }
        assertThat(history.get("stages")).hasSize(2);
        assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(before);
        assertThat(doc.at(doc.snapshot()).sameContent(doc)).isTrue();
    }

    private static void assertView(Doc doc, JsonNode stage) throws Exception {
        JsonNode json = stage.get("json");
        assertThat(Projection.text(doc, "t")).isEqualTo(json.get("t").textValue());
        assertThat(Vectors.JSON.readTree(Projection.json(doc, "m", RootType.MAP)))
                .isEqualTo(json.get("m"));
        assertThat(Vectors.JSON.readTree(Projection.json(doc, "a", RootType.ARRAY)))
                .isEqualTo(json.get("a"));
        assertThat(Projection.xml(doc, "x")).isEqualTo(json.get("x").textValue());
        JsonNode delta = Vectors.JSON.readTree(Projection.delta(doc, "t"));
        assertThat(delta).isEqualTo(Vectors.joined(stage.get("delta")));
        assertThat(delta).isEqualTo(Vectors.joined(stage.get("deltaAt")));
    }

    /** How many name what is collected. */
    private static int relativePositions(JsonNode history) throws Exception {
        int gone = 0;
        Doc kept = Doc.create(false);
        Vectors.apply(kept, UpdateFormat.V2, Vectors.bytes(history.get("kept")));
        Doc collected = Doc.create(true);
        Vectors.apply(collected, UpdateFormat.V2, Vectors.bytes(history.get("collected")));
        for (JsonNode stage : history.get("stages")) {
            Doc then = kept.at(Snapshot.decode(UpdateFormat.V1, Vectors.bytes(stage.get("v1"))));
            assertThat(stage.get("positions")).hasSize(12);
            for (JsonNode record : stage.get("positions")) {
                RelativePosition position = create(then, record);
                byte[] bytes = Vectors.bytes(record.get("bytes"));
                assertThat(position.encode()).as(record.toString()).isEqualTo(bytes);
                assertThat(RelativePosition.decode(bytes)).isEqualTo(position);
                assertThat(position.in(kept)).as(record.toString()).isEqualTo(absolute(record.get("kept")));
                assertThat(position.in(collected)).as(record.toString()).isEqualTo(absolute(record.get("collected")));
                gone += record.get("collected").isNull() ? 1 : 0;
            }
        }
        return gone;
    }

    private static RelativePosition create(Doc doc, JsonNode record) {
        int index = record.get("index").intValue();
        int assoc = record.get("assoc").intValue();
        return record.has("root")
                ? RelativePosition.of(doc, record.get("root").textValue(), index, assoc)
                : RelativePosition.of(doc, id(record), index, assoc);
    }

    private static AbsolutePosition absolute(JsonNode record) {
        if (record.isNull()) {
            return null;
        }
        return new AbsolutePosition(
                record.path("root").textValue(),
                record.has("client") ? id(record) : null,
                record.get("index").intValue(),
                record.get("assoc").intValue());
    }

    private static Id id(JsonNode record) {
        return new Id(record.get("client").longValue(), record.get("clock").intValue());
    }
}
