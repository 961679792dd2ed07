package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;

/** Each example of the table in PROJECTIONS.md. */
class ProjectionTableTest {
    private static final Pattern ROW = Pattern.compile("\\| (.+) \\| `([<\\[{].+)` \\| `(.+)` \\|");

    private final Doc doc = Doc.create(true);
    private final Editor editor = doc.edit(1);

    @TestFactory
    Stream<DynamicTest> rows() throws IOException {
        String page = Files.readString(Path.of("PROJECTIONS.md"));
        String rules = page.substring(page.indexOf("\n## Rules"), page.indexOf("\n## JSON"));
        List<DynamicTest> tests = new ArrayList<>();
        for (String line : rules.lines().toList()) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                tests.add(DynamicTest.dynamicTest(
                        row.group(1), () -> new ProjectionTableTest().check(row.group(2), row.group(3))));
            }
        }
        assertThat(tests).hasSize(25);
        return tests.stream();
    }

    private void check(String example, String text) throws Exception {
        switch (example.charAt(0)) {
            case '<' -> {
                InputSource source = new InputSource(new StringReader("<root>" + example + "</root>"));
                Element root = DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(source)
                        .getDocumentElement();
                children(root, editor.xml("root"));
            }
            case '[' -> editor.text("root").applyDelta(delta(Vectors.JSON.readTree(example)));
            default ->
                Vectors.JSON
                        .readTree(example)
                        .properties()
                        .forEach(member -> editor.map("root").set(member.getKey(), plain(member.getValue())));
        }
        assertThat(Projection.bodyText(doc, null)).isEqualTo(text.replace('⏎', '\n'));
    }

    private static void children(Node from, SharedXml to) {
        int index = 0;
        for (Node child = from.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element element) {
                SharedXml made = to.insertElement(index++, element.getTagName());
                NamedNodeMap attributes = element.getAttributes();
                for (int i = 0; i < attributes.getLength(); i++) {
                    made.setAttribute(
                            attributes.item(i).getNodeName(), attributes.item(i).getNodeValue());
                }
                children(element, made);
            } else {
                to.insertText(index++).insert(0, child.getNodeValue());
            }
        }
    }

    private static List<DeltaOp> delta(JsonNode ops) {
        List<DeltaOp> delta = new ArrayList<>();
        for (JsonNode op : ops) {
            Map<String, Object> attributes = map(op.path("attributes"));
            JsonNode insert = op.get("insert");
            delta.add(
                    insert.isTextual()
                            ? DeltaOp.insert(insert.textValue(), attributes)
                            : DeltaOp.insertEmbed(map(insert), attributes));
        }
        return delta;
    }

    private static Map<String, Object> map(JsonNode node) {
        return node.isMissingNode() ? Map.of() : Vectors.JSON.convertValue(node, new TypeReference<>() {});
    }

    private static Object plain(JsonNode node) {
        return Vectors.JSON.convertValue(node, Object.class);
    }
}
