package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which roots are the text, whatever a document holds. */
class BodyProjectionTest {
    private static final int DEEP = 20_000;

    private final Doc doc = Doc.create(true);
    private final Editor editor = doc.edit(1);

    private String text(BodyProjection projection) {
        return Projection.bodyText(doc, projection, null);
    }

    private String json(BodyProjection projection) {
        return Projection.bodyJson(doc, projection, null);
    }

    @ParameterizedTest
    @EnumSource
    void anEmptyDocumentHasNoText(BodyProjection projection) {
        assertThat(text(projection)).isEmpty();
        assertThat(Projection.bodyText(doc, projection, "nowhere")).isEmpty();
        assertThat(json(projection)).isEqualTo("{}");
        assertThat(Projection.blocks(doc, projection, null)).isEmpty();
        assertThat(BodyProjection.of(projection.label())).isEqualTo(projection);
        assertThatThrownBy(() -> BodyProjection.of("no")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void mapsAreTheTextOnlyWhereThereIsNoOther() {
        editor.map("meta").set("title", "Plan");
        editor.array("tags").push("a");
        editor.array("tags").push("b");
        assertThat(text(BodyProjection.AUTO)).isEqualTo("Plan\na\nb");
        editor.text("body").insert(0, "text");
        editor.xml("xml").insertElement(0, "p").insertText(0).insert(0, "block");
        assertThat(text(BodyProjection.AUTO)).isEqualTo("text\nblock");
        assertThat(text(BodyProjection.VALUES)).isEqualTo("text\nPlan\na\nb\nblock");
        assertThat(text(BodyProjection.TEXT)).isEqualTo("text");
        assertThat(text(BodyProjection.QUILL)).isEqualTo("text");
        assertThat(text(BodyProjection.PROSEMIRROR)).isEqualTo("block");
        assertThat(Projection.bodyText(doc, "meta")).isEqualTo("Plan");
    }

    @Test
    void aWrongSettingLosesNothingOfTheDeclaredRoot() {
        editor.xml("xml").insertElement(0, "p").insertText(0).insert(0, "block");
        for (BodyProjection projection : BodyProjection.values()) {
            assertThat(Projection.bodyText(doc, projection, "xml")).isEqualTo("block");
            assertThat(Projection.bodyJson(doc, projection, "xml"))
                    .isEqualTo("{\"xml\":{\"type\":\"doc\",\"content\":"
                            + "[{\"type\":\"p\",\"content\":[{\"type\":\"text\",\"text\":\"block\"}]}]}}");
        }
    }

    @Test
    void aTextIsADeltaInJsonOnceItIsFormatted() {
        SharedText text = editor.text("t");
        text.insert(0, "ab");
        assertThat(json(BodyProjection.AUTO)).isEqualTo("{\"t\":\"ab\"}");
        assertThat(json(BodyProjection.QUILL)).isEqualTo("{\"t\":[{\"insert\":\"ab\"}]}");
        text.format(0, 1, Map.of("bold", true));
        String delta = "{\"t\":[{\"insert\":\"a\",\"attributes\":{\"bold\":true}},{\"insert\":\"b\"}]}";
        assertThat(json(BodyProjection.AUTO)).isEqualTo(delta);
        assertThat(json(BodyProjection.QUILL)).isEqualTo(delta);
        assertThat(json(BodyProjection.TEXT)).isEqualTo("{\"t\":\"ab\"}");
    }

    @Test
    void embedsAreTextButNotInPlainOnes() {
        SharedText text = editor.text("t");
        text.insert(0, "ab");
        text.insertEmbed(1, Map.of("formula", "x^2"), Map.of());
        text.insertEmbed(0, Map.of("image", "i.png"), Map.of("alt", "a cat"));
        text.insertEmbed(4, Map.of("video", "v.mp4"), Map.of());
        assertThat(text(BodyProjection.AUTO)).isEqualTo("a catax^2b");
        assertThat(text(BodyProjection.TEXT)).isEqualTo("ab");
    }

    @Test
    void whatJsonAndPostgresCantHoldIsReplaced() {
        editor.map("m").set("a\0", "x\0y");
        assertThat(text(BodyProjection.AUTO)).isEqualTo("x\uFFFDy");
        assertThat(Projection.blocks(doc, BodyProjection.AUTO, null))
                .containsExactly(new TextBlock("m/a\uFFFD", "a\uFFFD", "m/a\uFFFD", "x\uFFFDy"));
    }

    @Test
    void aDeletedFirstBlockChangesNothing() {
        SharedXml root = editor.xml("x");
        root.insertElement(0, "p").insertText(0).insert(0, "one");
        root.insertElement(1, "p").insertText(0).insert(0, "two");
        root.delete(0, 1);
        assertThat(Projection.detect(doc, "x")).isEqualTo(BodyProjection.PROSEMIRROR);
        assertThat(text(BodyProjection.AUTO)).isEqualTo("two");
        root.delete(0, 1);
        assertThat(Projection.detect(doc, "x")).isNull();
        assertThat(text(BodyProjection.AUTO)).isEmpty();
    }

    @Test
    void plainValuesAreReadInTheirOrderAndDataUrlsAreNot() {
        editor.map("m").set("z", List.of("1", Map.of("k", "2"), 3, "data:image/png;base64,AAAA"));
        editor.map("m").setArray("a").push("first");
        editor.map("m").setText("t").insert(0, "typed");
        assertThat(text(BodyProjection.AUTO)).isEqualTo("first\ntyped\n1\n2");
    }

    /** A chain of types, each the only child of the one before. */
    private static Doc chain(int ref) throws MalformedUpdateException {
        ByteWriter update = new ByteWriter();
        update.varUint(1);
        update.varUint(DEEP);
        update.varUint(1);
        update.varUint(0);
        for (int clock = 0; clock < DEEP; clock++) {
            boolean member = ref == TypeRef.MAP;
            update.u8(Kind.TYPE | (member ? 0x20 : 0));
            update.varUint(clock == 0 ? 1 : 0);
            if (clock == 0) {
                update.string("deep");
            } else {
                update.varUint(1);
                update.varUint(clock - 1);
            }
            if (member) {
                update.string("k");
            }
            update.varUint(ref);
            if (ref == TypeRef.XML_ELEMENT) {
                update.string("div");
            }
        }
        update.varUint(0);
        Doc doc = Doc.create(true);
        Vectors.apply(doc, UpdateFormat.V1, update.toBytes());
        return doc;
    }

    /** As Yjs 14 writes them: strings right in elements, and types without a name that are texts. */
    @Test
    void whatATypeHoldsCountsNotItsNumber() throws Exception {
        ByteWriter update = new ByteWriter();
        for (int number : new int[] {1, 5, 1, 0}) {
            update.varUint(number);
        }
        update.u8(Kind.TYPE);
        update.varUint(1);
        update.string("x");
        update.varUint(TypeRef.XML_ELEMENT);
        update.string("paragraph");
        string(update, 0, "one ");
        update.u8(Kind.TYPE | 0x80);
        update.varUint(1);
        update.varUint(4);
        update.varUint(TypeRef.XML_FRAGMENT);
        string(update, 5, "two");
        update.u8(Kind.TYPE | 0x80);
        update.varUint(1);
        update.varUint(0);
        update.varUint(TypeRef.XML_ELEMENT);
        update.string("paragraph");
        update.varUint(0);
        Vectors.apply(doc, UpdateFormat.V1, update.toBytes());
        assertThat(Projection.detect(doc, "x")).isEqualTo(BodyProjection.PROSEMIRROR);
        assertThat(text(BodyProjection.AUTO)).isEqualTo("one two");
        assertThat(json(BodyProjection.AUTO))
                .isEqualTo("{\"x\":{\"type\":\"doc\",\"content\":[{\"type\":\"paragraph\",\"content\":"
                        + "[{\"type\":\"text\",\"text\":\"one \"},\"two\"]},{\"type\":\"paragraph\"}]}}");
    }

    /** As the first in a type. */
    private static void string(ByteWriter update, int holder, String text) {
        update.u8(Kind.STRING);
        update.varUint(0);
        update.varUint(1);
        update.varUint(holder);
        update.string(text);
    }

    @Test
    void deepNestingIsCutOffInBoundedTimeAndStack() throws Exception {
        int[] refs = {
            TypeRef.ARRAY, TypeRef.MAP, TypeRef.TEXT, TypeRef.XML_ELEMENT, TypeRef.XML_FRAGMENT, TypeRef.XML_TEXT
        };
        for (int ref : refs) {
            Doc deep = chain(ref);
            long start = System.nanoTime();
            for (BodyProjection projection : BodyProjection.values()) {
                Projection.bodyText(deep, projection, null);
                Projection.blocks(deep, projection, "deep");
                Vectors.JSON.readTree(Projection.bodyJson(deep, projection, null));
            }
            assertThat((System.nanoTime() - start) / 1_000_000)
                    .as("type %d, ms", ref)
                    .isLessThan(2_000);
        }
    }

    @Test
    void nestedValuesAreReadInBoundedTime() {
        Object value = Collections.nCopies(200_000, "a");
        for (int depth = 2; depth < Limits.VALUE_DEPTH; depth += 2) {
            value = Map.of("type", "doc", "content", List.of(value));
        }
        editor.map("m").set("deep", value);
        long start = System.nanoTime();
        Projection.bodyText(doc, BodyProjection.AUTO, null);
        assertThat((System.nanoTime() - start) / 1_000_000).isLessThan(1_000);
    }
}
