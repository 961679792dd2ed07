package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Edits that are refused leave nothing behind; names that can't be written are repaired at once. */
class RefusedEditsTest {
    private static final int MAX = Integer.MAX_VALUE;

    private final Doc doc = Doc.create(true);
    private final Editor editor = doc.edit(1);

    private void refused(Class<? extends Exception> how, ThrowingCallable... edits) {
        byte[] before = doc.encodeState(UpdateFormat.V2);
        List<Root> roots = doc.roots();
        for (ThrowingCallable edit : edits) {
            assertThatThrownBy(edit).isExactlyInstanceOf(how);
            assertThat(doc.roots()).isEqualTo(roots);
            assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
            assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(before);
            assertThat(doc.rest()).isTrue();
        }
    }

    @Test
    void placesThatAreNotThere() {
        Map<String, Object> bold = Map.of("b", true);
        editor.text("plain").insert(0, "abc");
        editor.text("formatted").insert(0, "abc", bold);
        editor.array("array").pushAll(List.of(1, 2, 3));
        editor.xml("xml").insertText(0);
        editor.xml("xml").insertText(0);
        editor.xml("xml").insertText(0);
        doc.discardChanges();
        for (String name : new String[] {"plain", "formatted", "none"}) {
            SharedText text = editor.text(name);
            for (int index : new int[] {-1, -MAX, Integer.MIN_VALUE, 4, MAX}) {
                for (int count : new int[] {0, 1, MAX}) {
                    refused(
                            IndexOutOfBoundsException.class,
                            () -> text.delete(index, count),
                            () -> text.format(index, count, bold));
                }
                refused(
                        IndexOutOfBoundsException.class,
                        () -> text.insert(index, ""),
                        () -> text.insert(index, "x"),
                        () -> text.insert(index, "", bold),
                        () -> text.insert(index, "x", bold),
                        () -> text.insertEmbed(index, Map.of(), bold));
            }
            refused(IndexOutOfBoundsException.class, () -> text.delete(0, 4), () -> text.delete(0, -1));
            refused(IndexOutOfBoundsException.class, () -> text.format(0, 4, bold), () -> text.format(0, -1, bold));
        }
        for (String suffix : new String[] {"", "-none"}) {
            SharedArray array = editor.array("array" + suffix);
            SharedXml xml = editor.xml("xml" + suffix);
            for (int index : new int[] {-1, -MAX, Integer.MIN_VALUE, 4, MAX}) {
                refused(
                        IndexOutOfBoundsException.class,
                        () -> array.get(index),
                        () -> array.insert(index, 1),
                        () -> array.insertAll(index, List.of()),
                        () -> array.insertMap(index),
                        () -> array.insertArray(index),
                        () -> array.insertText(index),
                        () -> array.delete(index, 0),
                        () -> array.delete(index, 1),
                        () -> xml.get(index),
                        () -> xml.insertElement(index, "p"),
                        () -> xml.insertText(index),
                        () -> xml.delete(index, 0),
                        () -> xml.delete(index, 1));
            }
        }
        for (int assoc : new int[] {0, -1}) {
            refused(IndexOutOfBoundsException.class, () -> RelativePosition.of(doc, "plain", -1, assoc));
            refused(IndexOutOfBoundsException.class, () -> RelativePosition.of(doc, "none", -1, assoc));
        }
    }

    /** The same through an index, which the first edit of a long list sets up. */
    @Test
    void placesThatAreNotThereByIndex() {
        SharedText text = editor.text("t");
        for (int i = 0; i < 100; i++) {
            text.insert(0, "ab");
        }
        text.delete(100, 1);
        doc.discardChanges();
        assertThatThrownBy(() -> text.delete(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> text.delete(200, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> text.format(200, 0, Map.of())).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> RelativePosition.of(doc, "t", -1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        text.delete(199, 0);
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
        assertThat(text.length()).isEqualTo(199);
    }

    @Test
    void nothingMakesNoRoot() {
        SharedText text = editor.text("t");
        text.insert(0, "");
        text.insert(0, "", Map.of("b", true));
        text.delete(0, 0);
        text.format(0, 0, Map.of("b", true));
        text.applyDelta(List.of());
        text.applyDelta(List.of(DeltaOp.delete(3)));
        editor.array("a").pushAll(List.of());
        editor.array("a").delete(0, 0);
        editor.map("m").delete("k");
        editor.xml("x").removeAttribute("k");
        assertThat(doc.roots()).isEmpty();
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
        assertThat(doc.rest()).isTrue();
    }

    @Test
    void valuesThatAreNotPlain() {
        BigInteger large = BigInteger.TWO.pow(63);
        for (Object value : new Object[] {large, large.negate().subtract(BigInteger.ONE), Long.MIN_VALUE, 'c'}) {
            Map<String, Object> within = Map.of("x", List.of(Map.of("y", value)));
            refused(
                    IllegalArgumentException.class,
                    () -> editor.map("m").set("k", value),
                    () -> editor.map("m").set("k", within),
                    () -> editor.array("a").pushAll(List.of(1, value)),
                    () -> editor.xml("x").setAttribute("k", value),
                    () -> editor.text("t").setAttribute("k", within),
                    () -> editor.text("t").insert(0, "x", within),
                    () -> editor.text("t").insertEmbed(0, within, Map.of()),
                    () -> editor.text("t").insertEmbed(0, Map.of(), within),
                    () -> editor.text("t").format(0, 0, within),
                    () -> editor.text("t").applyDelta(List.of(DeltaOp.insert("x", within))));
        }
        BigInteger last = large.subtract(BigInteger.ONE);
        editor.map("m").set("last", last);
        editor.map("m").set("first", large.negate());
        assertThat(editor.map("m").get("last")).isEqualTo(last);
        assertThat(editor.map("m").get("first")).isEqualTo(large.negate());
    }

    /** As Yjs: retained beyond the end, with or without attributes, is newlines; but there is an end to it. */
    @Test
    void retainBeyondTheEnd() {
        SharedText text = editor.text("t");
        Map<String, Object> bold = Map.of("b", 1);
        refused(
                IndexOutOfBoundsException.class,
                () -> text.applyDelta(List.of(DeltaOp.retain(MAX, bold))),
                () -> text.applyDelta(List.of(DeltaOp.retain(65_537, Map.of()))),
                () -> text.applyDelta(List.of(DeltaOp.insert("a", Map.of()), DeltaOp.retain(MAX, bold))),
                () -> text.applyDelta(List.of(DeltaOp.retain(MAX, bold), DeltaOp.retain(MAX, bold))),
                () -> text.applyDelta(List.of(DeltaOp.retain(40_000, bold), DeltaOp.retain(40_000, bold))));
        text.applyDelta(List.of(DeltaOp.insert("ab", Map.of()), DeltaOp.retain(2, bold)));
        assertThat(Projection.delta(doc, "t"))
                .isEqualTo("[{\"insert\":\"ab\"},{\"insert\":\"\\n\\n\",\"attributes\":{\"b\":1}}]");
        text.applyDelta(List.of(DeltaOp.delete(3), DeltaOp.retain(3, Map.of()), DeltaOp.delete(5)));
        assertThat(text).hasToString("\n\n\n");
        text.applyDelta(List.of(DeltaOp.retain(65_539, Map.of())));
        assertThat(text.length()).isEqualTo(65_539);
    }

    @Test
    void halvesOfPairsInNames() throws Exception {
        for (String half : new String[] {"\ud800", "\udc00"}) {
            Map<String, Object> attributes = Map.of("f" + half, true);
            SharedText text = editor.text("t" + half);
            assertThat(text.root()).isEqualTo("t\ufffd");
            text.insert(0, "ab" + half, attributes);
            text.format(0, 1, attributes);
            text.insertEmbed(0, Map.of("e" + half, half), attributes);
            text.setAttribute("a" + half, half);
            SharedMap map = editor.map("m" + half);
            map.set("k" + half, Map.of("x" + half, half));
            map.setMap("n" + half).set(half, 1);
            editor.xml("x" + half).insertElement(0, "p" + half).setAttribute("a" + half, half);
            assertThat(map.keys()).containsExactly("k\ufffd", "n\ufffd");
            assertThat(map.get("k" + half)).isEqualTo(Map.of("x\ufffd", "\ufffd"));
            assertThat(map.get("k\ufffd")).isEqualTo(map.get("k" + half));
            assertThat(map.has("n" + half)).isTrue();
            assertThat(text.getAttribute("a" + half)).isEqualTo("\ufffd");
            assertThat(((SharedXml) editor.xml("x\ufffd").get(0)).name()).isEqualTo("p\ufffd");
            map.delete("n" + half);
            assertThat(map.has("n\ufffd")).isFalse();
        }
        assertThat(doc.roots().stream().map(Root::name)).containsExactly("m\ufffd", "t\ufffd", "x\ufffd");
        for (UpdateFormat format : UpdateFormat.values()) {
            byte[] state = doc.encodeState(format);
            Doc loaded = Doc.create(true);
            Vectors.apply(loaded, format, state);
            assertThat(loaded.sameContent(doc)).isTrue();
            assertThat(doc.sameContent(loaded)).isTrue();
            assertThat(Projection.bodyJson(loaded)).isEqualTo(Projection.bodyJson(doc));
        }
        doc.discardChanges();
        assertThat(doc.rest()).isTrue();
    }

    /** Two keys that become one: the one that comes last holds. */
    @Test
    void keysThatBecomeOne() {
        Map<String, Object> attributes = new HashMap<>();
        attributes.put("\ud800", 1);
        attributes.put("\ufffd", 1);
        editor.text("t").insert(0, "a", attributes);
        assertThat(Projection.delta(doc, "t")).isEqualTo("[{\"insert\":\"a\",\"attributes\":{\"\ufffd\":1}}]");
        editor.map("m").set("😀", 1);
        assertThat(editor.map("m").keys()).containsExactly("😀");
    }
}
