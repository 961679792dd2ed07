package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What users of the API see: the example of the README, values, errors. */
class EditorTest {
    @Test
    void exampleOfTheReadme() throws Exception {
        Doc doc = Doc.create(true);
        Editor editor = doc.edit(4_294_967_297L);
        editor.transact(() -> {
            editor.map("meta").set("title", "Plan");
            SharedMap item = editor.array("items").pushMap();
            item.set("done", false);
            item.setText("notes").insert(0, "first");
        });
        SharedText text = editor.text("body");
        text.insert(0, "Hello world");
        text.format(0, 5, Map.of("bold", true));
        text.delete(5, 6);

        byte[] update = doc.drainChanges(UpdateFormat.V1);
        SharedMap item = (SharedMap) editor.array("items").get(0);

        assertThat(item.get("done")).isEqualTo(false);
        assertThat(item.get("notes")).hasToString("first");
        Doc other = Doc.create(true);
        Vectors.apply(other, UpdateFormat.V1, update);
        assertThat(other.sameContent(doc)).isTrue();
        assertThat(Projection.delta(other, "body"))
                .isEqualTo("[{\"insert\":\"Hello\",\"attributes\":{\"bold\":true}}]");
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
    }

    @Test
    void valuesComeBack() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("list", List.of(1L, "two", true, List.of()));
        object.put("none", null);
        List<Object> values = new ArrayList<>(
                List.of(0L, -5L, 1L << 52, 1.5, 0.1, -0.0, "", "😀", true, object, BigInteger.TWO.pow(62)));
        values.add(null);
        Doc doc = Doc.create(true);
        SharedArray array = doc.edit(1).array("a");
        SharedMap map = doc.edit(1).map("m");
        array.pushAll(values);
        for (int i = 0; i < values.size(); i++) {
            assertThat(array.get(i)).isEqualTo(values.get(i));
            map.set("k", values.get(i));
            assertThat(map.get("k")).isEqualTo(values.get(i));
        }
        map.set("k", new byte[] {1, 2});
        assertThat((byte[]) map.get("k")).containsExactly(1, 2);
        assertThat(array.length()).isEqualTo(values.size());
    }

    /** More keys than are looked at one by one. */
    @Test
    void mapsOfManyKeys() {
        Random random = new Random(5);
        Doc doc = Doc.create(true);
        Editor editor = doc.edit(1);
        for (int round = 0; round < 20; round++) {
            SharedMap map = editor.map("m").setMap("inner" + round % 3);
            Map<String, Object> model = new LinkedHashMap<>();
            for (int i = 0; i < 300; i++) {
                String key = "key" + random.nextInt(40);
                if (random.nextInt(4) == 0) {
                    map.delete(key);
                    model.remove(key);
                } else {
                    map.set(key, (long) i);
                    model.put(key, (long) i);
                }
            }
            assertThat(map.keys()).containsExactlyInAnyOrderElementsOf(model.keySet());
            model.forEach((key, value) -> assertThat(map.get(key)).isEqualTo(value));
            assertThat(map.has("key99")).isFalse();
        }
    }

    @Test
    void whatIsRefusedChangesNothing() {
        Doc doc = Doc.create(true);
        Editor editor = doc.edit(1);
        SharedText text = editor.text("t");
        text.insert(0, "abc");
        SharedArray array = editor.array("a");
        array.push(1);
        SharedMap nested = editor.map("m").setMap("k");
        byte[] before = doc.encodeState(UpdateFormat.V2);
        for (int index : new int[] {-1, 4, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> text.insert(index, "x")).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> text.delete(index, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> text.format(index, 1, Map.of("b", true)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> array.insert(index, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> array.get(index)).isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> text.delete(1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> array.pushAll(List.of(1, new Object()))).isInstanceOf(IllegalArgumentException.class);
        List<DeltaOp> delta = List.of(DeltaOp.delete(1), DeltaOp.insertEmbed(Map.of("x", new Object()), Map.of()));
        assertThatThrownBy(() -> text.applyDelta(delta)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> nested.set("x", Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> doc.edit(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(before);
        editor.map("m").delete("k");
        assertThat(nested.exists()).isFalse();
        assertThatThrownBy(() -> nested.set("x", 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void positionsStayWhileOthersEdit() {
        Doc doc = Doc.create(true);
        SharedText text = doc.edit(1).text("t");
        Random random = new Random(3);
        StringBuilder model = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            int at = random.nextInt(model.length() + 1);
            text.insert(at, "ab");
            model.insert(at, "ab");
        }
        for (int assoc : new int[] {0, -1}) {
            for (int index = 0; index <= model.length() + 1; index += 7) {
                RelativePosition indexed = RelativePosition.of(doc, "t", index, assoc);
                int resolved = indexed.in(doc).index();
                doc.dropIndexes();
                assertThat(RelativePosition.of(doc, "t", index, assoc)).isEqualTo(indexed);
                assertThat(indexed.in(doc).index()).isEqualTo(resolved).isEqualTo(Math.min(index, model.length()));
                text.delete(text.length() - 1, 1);
                model.setLength(model.length() - 1);
            }
        }
    }

    /** A handle remembers what it read last: whatever changes the document must be seen through it. */
    @Test
    void readsFollowEachChange() throws Exception {
        Doc doc = Doc.create(true);
        Editor editor = doc.edit(1);
        SharedMap map = editor.map("m");
        SharedArray array = editor.array("a");
        map.set("k", "one");
        array.pushAll(List.of("x", "y", "z"));
        assertThat(map.get("k")).isEqualTo("one");
        assertThat(array.get(1)).isEqualTo("y");
        editor.transact(() -> {
            map.set("k", "two");
            assertThat(map.get("k")).isEqualTo("two");
            map.delete("k");
            assertThat(map.get("k")).isNull();
            array.delete(0, 1);
            assertThat(array.get(1)).isEqualTo("z");
            map.set("k", "three");
        });
        assertThat(map.get("k")).isEqualTo("three");

        Doc other = Doc.create(true);
        Vectors.apply(other, UpdateFormat.V1, doc.drainChanges(UpdateFormat.V1));
        other.discardChanges();
        SharedMap theirs = other.edit(2).map("m");
        theirs.set("k", "four");
        other.edit(3).array("a").insert(0, "w");
        Vectors.apply(doc, UpdateFormat.V2, other.drainChanges(UpdateFormat.V2));
        assertThat(map.get("k")).isEqualTo("four");
        assertThat(array.get(1)).isEqualTo("y");

        SharedMap nested = map.setMap("k");
        nested.set("n", 1);
        assertThat(map.get("k")).isSameAs(map.get("k"));
        assertThat(((SharedMap) map.get("k")).get("n")).isEqualTo(1L);
        doc.discardChanges();
        assertThat(doc.rest()).isTrue();
        assertThat(array.get(1)).isEqualTo("y");
        assertThat(((SharedMap) map.get("k")).get("n")).isEqualTo(1L);
        SharedMap before = (SharedMap) map.get("k");
        assertThat(before.get("n")).isEqualTo(1L);
        map.delete("k");
        assertThat(map.get("k")).isNull();
        assertThatThrownBy(() -> before.get("n")).isInstanceOf(IllegalStateException.class);
        map.setMap("k");
        assertThat(((SharedMap) map.get("k")).get("n")).isNull();
        array.insert(0, new byte[] {1});
        ((byte[]) array.get(0))[0] = 2;
        assertThat((byte[]) array.get(0)).containsExactly(1);
    }
}
