package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Random histories recorded from yjs 13.6.33 by operations.mjs: overlapping merges, snapshots, relative positions. */
class OperationsTest {
    private static final List<JsonNode> HISTORIES = histories();

    /** Yjs compares a GC with an item inconsistently, so which of the two it takes depends on its sort. */
    private static final TreeSet<String> OTHER_BYTES = new TreeSet<>(List.of());

    /** The recorded ones, or with -Dwalmerge.yjs=FOLDER new ones of -Dwalmerge.seed, made now. */
    private static List<JsonNode> histories() {
        String folder = System.getProperty("walmerge.yjs");
        if (folder == null) {
            return Vectors.read("/vectors/operations.jsonl.gz");
        }
        List<JsonNode> histories = new ArrayList<>();
        try {
            Process node = new ProcessBuilder(
                            "node",
                            "src/test/generate/operations.mjs",
                            Long.toString(Long.getLong("walmerge.seed", 2L)),
                            Integer.toString(Integer.getInteger("walmerge.histories", 500)),
                            folder)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader lines = node.inputReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    histories.add(Vectors.JSON.readTree(line));
                }
            }
            return histories;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void mergesOfOverlappingUpdates() throws Exception {
        TreeSet<String> other = new TreeSet<>();
        int merges = 0;
        for (JsonNode history : HISTORIES) {
            for (int i = 0; i < history.get("merges").size(); i++) {
                if (!merge(history.get("merges").get(i), Vectors.bytes(history.get("collected")))) {
                    other.add(history.get("n") + "/" + i);
                }
                merges++;
            }
        }
        System.out.println(merges + " merges, other bytes than yjs: " + other);
        assertThat(other).hasSizeLessThanOrEqualTo(merges / 100);
        if (System.getProperty("walmerge.yjs") == null) {
            assertThat(other).isEqualTo(OTHER_BYTES);
        }
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
            assertThat(v1).hasSizeLessThanOrEqualTo(theirs.length);
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

    @Test
    void snapshots() throws Exception {
        int snapshots = 0;
        for (JsonNode history : HISTORIES) {
            Doc doc = Doc.create(false);
            Vectors.apply(doc, UpdateFormat.V2, Vectors.bytes(history.get("kept")));
            byte[] before = doc.encodeState(UpdateFormat.V2);
            for (JsonNode stage : history.get("stages")) {
                byte[] v1 = Vectors.bytes(stage.get("v1"));
                byte[] v2 = Vectors.bytes(stage.get("v2"));
                Snapshot snapshot = Snapshot.decode(UpdateFormat.V1, v1);
                assertThat(Snapshot.decode(UpdateFormat.V2, v2))
                        .isEqualTo(snapshot)
                        .hasSameHashCodeAs(snapshot);
                assertThat(snapshot.encode(UpdateFormat.V1)).isEqualTo(v1);
                assertThat(snapshot.encode(UpdateFormat.V2)).isEqualTo(v2);
                assertThat(doc.snapshot()).isNotEqualTo(snapshot);
                Doc then = doc.at(snapshot);
                assertThat(then.snapshot()).isEqualTo(snapshot);
                assertView(then, stage);
                assertThat(then.at(snapshot).sameContent(then)).isTrue();
                snapshots++;
            }
            assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(before);
            assertThat(doc.at(doc.snapshot()).sameContent(doc)).isTrue();
        }
        assertThat(snapshots).isEqualTo(2 * HISTORIES.size());
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

    @Test
    void relativePositions() throws Exception {
        int positions = 0;
        int gone = 0;
        for (JsonNode history : HISTORIES) {
            Doc kept = Doc.create(false);
            Vectors.apply(kept, UpdateFormat.V2, Vectors.bytes(history.get("kept")));
            Doc collected = Doc.create(true);
            Vectors.apply(collected, UpdateFormat.V2, Vectors.bytes(history.get("collected")));
            for (JsonNode stage : history.get("stages")) {
                Doc then = kept.at(Snapshot.decode(UpdateFormat.V1, Vectors.bytes(stage.get("v1"))));
                for (JsonNode record : stage.get("positions")) {
                    RelativePosition position = create(then, record);
                    byte[] bytes = Vectors.bytes(record.get("bytes"));
                    assertThat(position.encode()).as(record.toString()).isEqualTo(bytes);
                    assertThat(RelativePosition.decode(bytes)).isEqualTo(position);
                    assertThat(position.in(kept)).as(record.toString()).isEqualTo(absolute(record.get("kept")));
                    assertThat(position.in(collected))
                            .as(record.toString())
                            .isEqualTo(absolute(record.get("collected")));
                    positions++;
                    gone += record.get("collected").isNull() ? 1 : 0;
                }
            }
        }
        assertThat(positions).isEqualTo(24 * HISTORIES.size());
        assertThat(gone).isPositive();
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
