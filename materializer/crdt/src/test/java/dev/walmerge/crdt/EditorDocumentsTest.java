package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.ThrowingConsumer;

/** Documents that real editors wrote (src/test/generate/editors): the text and JSON we read of them are the editors' own. */
class EditorDocumentsTest {
    private static final List<JsonNode> RECORDINGS = Vectors.read("/vectors/editors.jsonl.gz");

    private static Stream<DynamicTest> each(ThrowingConsumer<JsonNode> check) {
        return RECORDINGS.stream()
                .map(recording ->
                        DynamicTest.dynamicTest(recording.get("id").textValue(), () -> check.accept(recording)));
    }

    private static Doc load(JsonNode recording) throws MalformedUpdateException {
        Doc doc = Doc.create(true);
        Vectors.apply(doc, UpdateFormat.V1, Vectors.bytes(recording.get("state")));
        return doc;
    }

    /** Quill's plain texts are texts until something is formatted. */
    private static BodyProjection expected(JsonNode recording) {
        BodyProjection projection =
                BodyProjection.of(recording.get("projection").textValue());
        return projection == BodyProjection.QUILL ? BodyProjection.TEXT : projection;
    }

    /** Quill always ends with a newline, which is in the document only once something was done to the last line. */
    private static String shown(JsonNode recording, String text) {
        boolean quill = recording.get("projection").textValue().equals("quill");
        return quill && text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }

    @Test
    void everyEditorIsThere() {
        assertThat(RECORDINGS).hasSize(32);
        assertThat(RECORDINGS.stream().map(r -> r.get("projection").textValue()).distinct())
                .containsExactlyInAnyOrder("prosemirror", "lexical", "slate", "quill", "text", "values");
    }

    @TestFactory
    Stream<DynamicTest> theTextIsTheEditors() {
        return each(recording -> {
            Doc doc = load(recording);
            String text = recording.get("text").textValue();
            String root = recording.get("root").textValue();
            BodyProjection projection =
                    BodyProjection.of(recording.get("projection").textValue());
            assertThat(shown(recording, Projection.bodyText(doc, null))).isEqualTo(text);
            assertThat(shown(recording, Projection.bodyText(doc, root))).isEqualTo(text);
            assertThat(shown(recording, Projection.bodyText(doc, projection, null)))
                    .isEqualTo(text);
            if (recording.hasNonNull("whole")) {
                assertThat(text.replace("\n", ""))
                        .isEqualTo(recording.get("whole").textValue().replace("\n", ""));
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> autoKnowsTheEditorFromTheFirstContentOn() {
        return each(recording -> {
            Doc doc = Doc.create(true);
            String root = recording.get("root").textValue();
            assertThat(Projection.detect(doc, root)).isNull();
            boolean seen = false;
            for (JsonNode update : recording.get("updates")) {
                Vectors.apply(doc, UpdateFormat.V1, Vectors.bytes(update));
                BodyProjection found = Projection.detect(doc, root);
                if (seen || found != null) {
                    assertThat(found).isEqualTo(expected(recording));
                    seen = true;
                }
            }
            assertThat(seen).isEqualTo(!recording.get("updates").isEmpty());
            assertThat(doc.sameContent(load(recording))).isTrue();
        });
    }

    @TestFactory
    Stream<DynamicTest> theJsonIsTheEditors() {
        return each(recording -> {
            Doc doc = load(recording);
            JsonNode expected = recording.get("json");
            String root = recording.get("root").textValue();
            BodyProjection projection =
                    BodyProjection.of(recording.get("projection").textValue());
            JsonNode json = Vectors.JSON
                    .readTree(Projection.bodyJson(doc, projection, root))
                    .path(root);
            if (projection == BodyProjection.LEXICAL) {
                assertThat(skeleton(json)).isEqualTo(skeleton(expected));
            } else if (!expected.isNull() && !recording.get("updates").isEmpty()) {
                assertThat(withoutNulls(json)).isEqualTo(withoutNulls(Vectors.joined(expected)));
            }
        });
    }

    /** What is undefined in an editor is null in jsonb, and not recorded. */
    private static JsonNode withoutNulls(JsonNode node) {
        if (node.isObject()) {
            ObjectNode copy = Vectors.JSON.createObjectNode();
            node.properties().forEach(member -> {
                if (!member.getValue().isNull()) {
                    copy.set(member.getKey(), withoutNulls(member.getValue()));
                }
            });
            return copy;
        }
        if (node.isArray()) {
            ArrayNode copy = Vectors.JSON.createArrayNode();
            node.forEach(element -> copy.add(withoutNulls(element)));
            return copy;
        }
        return node;
    }

    /** Types, texts and children: Lexical stores other properties than it prints. */
    private static JsonNode skeleton(JsonNode node) {
        ObjectNode copy = Vectors.JSON.createObjectNode();
        copy.set("type", node.get("type"));
        if (node.has("text")) {
            copy.set("text", node.get("text"));
        }
        ArrayNode children = copy.putArray("children");
        Consumer<JsonNode> add = child -> children.add(skeleton(child));
        node.path("children").forEach(add);
        return copy;
    }

    @TestFactory
    Stream<DynamicTest> restingChangesNoText() {
        return each(recording -> {
            Doc doc = load(recording);
            doc.discardChanges();
            assertThat(doc.rest()).isTrue();
            assertThat(shown(recording, Projection.bodyText(doc, null)))
                    .isEqualTo(recording.get("text").textValue());
        });
    }
}
