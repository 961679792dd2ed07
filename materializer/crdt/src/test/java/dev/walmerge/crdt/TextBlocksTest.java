package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** A document as rows, one a block. */
class TextBlocksTest {
    private static List<TextBlock> blocks(Doc doc) {
        return Projection.blocks(doc, BodyProjection.AUTO, null);
    }

    private static JsonNode recording(String id) {
        return Vectors.read("/vectors/editors.jsonl.gz").stream()
                .filter(r -> r.get("id").textValue().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static Doc load(JsonNode recording) throws MalformedUpdateException {
        Doc doc = Doc.create(true);
        Vectors.apply(doc, UpdateFormat.V1, Vectors.bytes(recording.get("state")));
        return doc;
    }

    private static List<String> kindsAndTexts(List<TextBlock> blocks) {
        return blocks.stream().map(b -> b.kind() + ": " + b.text()).toList();
    }

    @TestFactory
    Stream<DynamicTest> togetherTheyAreTheText() {
        return Vectors.read("/vectors/editors.jsonl.gz").stream()
                .map(recording -> DynamicTest.dynamicTest(recording.get("id").textValue(), () -> {
                    Doc doc = load(recording);
                    List<String> texts =
                            blocks(doc).stream().map(TextBlock::text).toList();
                    String whole = Projection.bodyText(doc, null);
                    assertThat(withoutEmptyLines(String.join("\n", texts))).isEqualTo(withoutEmptyLines(whole));
                    assertThat(texts).doesNotContain("");
                    assertThat(blocks(doc).stream().map(TextBlock::id)).doesNotHaveDuplicates();
                }));
    }

    private static String withoutEmptyLines(String text) {
        return String.join("\n", text.lines().filter(line -> !line.isEmpty()).toList());
    }

    @Test
    void blocksAreNamedAsTheEditorNamesThem() throws Exception {
        List<TextBlock> blocks = blocks(load(recording("blocknote-blocks")));
        assertThat(blocks.get(0))
                .isEqualTo(new TextBlock(
                        "b1", "heading", "document-store/blockGroup[0]/blockContainer[0]/heading[0]", "Welcome"));
        assertThat(blocks.get(4))
                .isEqualTo(new TextBlock(
                        "b3",
                        "paragraph",
                        "document-store/blockGroup[0]/blockContainer[2]/blockGroup[1]/blockContainer[0]"
                                + "/blockGroup[1]/blockContainer[0]/paragraph[0]",
                        "grandchild"));
        assertThat(kindsAndTexts(blocks(load(recording("lexical-article")))))
                .startsWith("heading: Title", "paragraph: One bold and link.", "paragraph: up\ndown", "listitem: one");
        assertThat(kindsAndTexts(blocks(load(recording("slate-article"))))).contains("list-item: two", "image: A cat");
    }

    @Test
    void recordsAreNamedByTheirKeys() throws Exception {
        assertThat(blocks(load(recording("tldraw-map"))))
                .contains(
                        new TextBlock("tldraw/page:page/name", "name", "tldraw/page:page/name", "First page"),
                        new TextBlock(
                                "tldraw/shape:a/props/richText/doc[0]/paragraph[1]",
                                "paragraph",
                                "tldraw/shape:a/props/richText/doc[0]/paragraph[1]",
                                "second line"));
    }

    @Test
    void aTextIsCutIntoItsLines() {
        Doc doc = Doc.create(true);
        SharedText text = doc.edit(9).text("t");
        text.insert(0, "one\n\ntwo\nthree");
        assertThat(blocks(doc))
                .containsExactly(
                        new TextBlock("9-0", "line", "t/line[0]", "one"),
                        new TextBlock("9-5", "line", "t/line[2]", "two"),
                        new TextBlock("9-9", "line", "t/line[3]", "three"));
        text.insert(4, "new\n");
        text.insert(3, "!", Map.of("bold", true));
        text.insertEmbed(0, Map.of("mention", Map.of("denotationChar", "@", "value", "Ann")), Map.of());
        assertThat(blocks(doc))
                .extracting(TextBlock::path, TextBlock::text)
                .containsExactly(
                        tuple("t/line[0]", "@Annone!"),
                        tuple("t/line[1]", "new"),
                        tuple("t/line[3]", "two"),
                        tuple("t/line[4]", "three"));
        assertThat(blocks(doc)).extracting(TextBlock::id).containsExactly("9-0", "9-14", "9-5", "9-9");
    }

    @Test
    void idsAreShortAndUniqueWhateverADocumentHolds() {
        Doc doc = Doc.create(true);
        SharedXml root = doc.edit(9).xml("x");
        for (int i = 0; i < 3; i++) {
            SharedXml element = root.insertElement(i, "p");
            element.setAttribute("id", i == 2 ? "i".repeat(128) : "i".repeat(50_000));
            element.insertText(0).insert(0, "text");
        }
        SharedMap map = doc.edit(9).map("m");
        for (int i = 0; i < 3; i++) {
            SharedMap inner = map;
            for (int depth = 0; depth < 40; depth++) {
                inner = inner.has("\u20ac".repeat(100))
                        ? (SharedMap) inner.get("\u20ac".repeat(100))
                        : inner.setMap("\u20ac".repeat(100));
            }
            inner.set("k" + i, "value");
        }
        List<TextBlock> blocks = new ArrayList<>(Projection.blocks(doc, BodyProjection.AUTO, "x"));
        assertThat(blocks).extracting(TextBlock::id).contains("9-0", "i".repeat(128));
        blocks.addAll(Projection.blocks(doc, BodyProjection.AUTO, "m"));
        assertThat(blocks)
                .hasSize(6)
                .extracting(TextBlock::id)
                .doesNotHaveDuplicates()
                .allMatch(id -> id.length() <= 150);
    }

    @Test
    void idsStayWhileOthersComeAndGo() throws Exception {
        JsonNode recording = recording("prosemirror-lists");
        Doc doc = Doc.create(true);
        List<String> before = List.of();
        for (JsonNode update : recording.get("updates")) {
            Vectors.apply(doc, UpdateFormat.V1, Vectors.bytes(update));
            List<String> now = blocks(doc).stream().map(TextBlock::id).toList();
            assertThat(now.subList(0, before.size())).isEqualTo(before);
            before = now;
        }
        assertThat(new HashSet<>(before)).hasSize(9);
    }
}
