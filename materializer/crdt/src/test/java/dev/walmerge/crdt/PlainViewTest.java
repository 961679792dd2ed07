package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Plain values against what Yjs' {@code toJSON} gave, and against the JSON text of the same document. */
class PlainViewTest {
    @Test
    void writtenAsJsonTheyAreTheJsonView() throws Exception {
        int roots = 0;
        for (JsonNode history : Vectors.read("/vectors/local-edits.jsonl.gz")) {
            for (String state : List.of("stateV1", "stateV2")) {
                Doc doc = Doc.create(true);
                UpdateFormat format = state.equals("stateV1") ? UpdateFormat.V1 : UpdateFormat.V2;
                Vectors.apply(doc, format, Vectors.bytes(history.get(state)));
                roots += compare(doc);
            }
        }
        for (JsonNode history : Vectors.read("/vectors/operations.jsonl.gz")) {
            Doc doc = Doc.create(false);
            Vectors.apply(doc, UpdateFormat.V2, Vectors.bytes(history.get("kept")));
            roots += compare(doc);
        }
        assertThat(roots).isGreaterThan(300);
    }

    private static int compare(Doc doc) throws Exception {
        ObjectNode all = Vectors.JSON.createObjectNode();
        for (Root root : doc.roots()) {
            if (root.type() != RootType.UNKNOWN) {
                byte[] value = Values.bytes(Projection.plain(doc, root.name(), root.type()));
                StringBuilder text = new StringBuilder();
                ValueText.write(value, 0, ValueText.Style.JSONB, text);
                all.set(root.name(), Vectors.JSON.readTree(text.toString()));
            }
        }
        assertThat((JsonNode) all).isEqualTo(Vectors.JSON.readTree(Projection.bodyJson(doc)));
        return all.size();
    }

    @Test
    void atSnapshotsTheyAreWhatYjsGave() throws Exception {
        for (JsonNode history : Vectors.read("/vectors/operations.jsonl.gz")) {
            Doc doc = Doc.create(false);
            Vectors.apply(doc, UpdateFormat.V2, Vectors.bytes(history.get("kept")));
            for (JsonNode stage : history.get("stages")) {
                Doc then = doc.at(Snapshot.decode(UpdateFormat.V1, Vectors.bytes(stage.get("v1"))));
                JsonNode json = stage.get("json");
                assertThat(Projection.plain(then, "t", RootType.TEXT))
                        .isEqualTo(json.get("t").textValue());
                assertThat(json(Projection.plain(then, "m", RootType.MAP))).isEqualTo(json.get("m"));
                assertThat(json(Projection.plain(then, "a", RootType.ARRAY))).isEqualTo(json.get("a"));
                assertThat(Projection.plain(then, "x", RootType.XML_FRAGMENT))
                        .isEqualTo(json.get("x").textValue());
            }
        }
    }

    private static JsonNode json(Object value) throws Exception {
        return Vectors.JSON.readTree(ValueText.jsonText(Values.bytes(value), 0));
    }

    @Test
    @SuppressWarnings("unchecked")
    void theyStayAsTheyAre() {
        Doc doc = Doc.create(true);
        assertThat(Projection.plain(doc, "m", RootType.MAP)).isEqualTo(Map.of());
        assertThat(Projection.plain(doc, "m", RootType.ARRAY)).isEqualTo(List.of());
        assertThat(Projection.plain(doc, "m", RootType.TEXT)).isEqualTo("");
        SharedMap map = doc.edit(1).map("m");
        map.set("a", 1);
        map.setArray("list").pushAll(List.of("x", new byte[] {1}, 0.5));
        Map<String, Object> plain = (Map<String, Object>) Projection.plain(doc, "m", RootType.MAP);
        map.set("a", 2);
        assertThat(plain.keySet()).containsExactly("a", "list");
        assertThat(plain.get("a")).isEqualTo(1L);
        assertThat((List<Object>) plain.get("list")).containsExactly("x", new byte[] {1}, 0.5);
        assertThatThrownBy(() -> plain.put("b", 1)).isInstanceOf(UnsupportedOperationException.class);
    }
}
