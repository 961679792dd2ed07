package dev.walmerge.crdt;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.ThrowingConsumer;

/** The scenarios recorded from yjs 13.6.33 (src/test/resources/vectors/yjs). */
final class Vectors {
    static final List<String> FAMILIES = List.of(
            "array-values",
            "batch-txn",
            "gc-heavy",
            "map-conflict",
            "map-values",
            "nested",
            "prosemirror",
            "subdocs",
            "text-plain",
            "text-rich",
            "text-rich-two-roots",
            "text-surrogate-split",
            "text-unicode",
            "undo",
            "xml-direct");

    static final ObjectMapper JSON = new ObjectMapper();

    private Vectors() {}

    static List<JsonNode> family(String name) {
        return read("/vectors/yjs/" + name + ".jsonl.gz");
    }

    static List<JsonNode> read(String resource) {
        List<JsonNode> records = new ArrayList<>();
        try (InputStream in = Vectors.class.getResourceAsStream(resource);
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(new GZIPInputStream(in), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                records.add(JSON.readTree(line));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return records;
    }

    static byte[] bytes(JsonNode base64) {
        return Base64.getDecoder().decode(base64.textValue());
    }

    static List<byte[]> updates(JsonNode scenario, UpdateFormat format) {
        List<byte[]> updates = new ArrayList<>();
        for (JsonNode update : scenario.get("updates")) {
            updates.add(bytes(update.get(format == UpdateFormat.V1 ? "v1" : "v2")));
        }
        return updates;
    }

    static int[] order(JsonNode order) {
        int[] indexes = new int[order.size()];
        for (int i = 0; i < indexes.length; i++) {
            indexes[i] = order.get(i).intValue();
        }
        return indexes;
    }

    static int[] creationOrder(int count) {
        int[] indexes = new int[count];
        for (int i = 0; i < count; i++) {
            indexes[i] = i;
        }
        return indexes;
    }

    static int apply(Doc doc, UpdateFormat format, byte[] update) throws MalformedUpdateException {
        return doc.apply(format, update, 0, update.length);
    }

    static Doc replica(List<byte[]> updates, UpdateFormat format, boolean gc, int[] order)
            throws MalformedUpdateException {
        Doc doc = Doc.create(gc);
        for (int i : order) {
            apply(doc, format, updates.get(i));
        }
        return doc;
    }

    static RootType type(JsonNode root) {
        return switch (root.get("type").textValue()) {
            case "text" -> RootType.TEXT;
            case "map" -> RootType.MAP;
            case "array" -> RootType.ARRAY;
            case "xmlFragment" -> RootType.XML_FRAGMENT;
            default -> throw new IllegalArgumentException(root.toString());
        };
    }

    /** The views of a document in the shape of a scenario's {@code expect}. */
    static ObjectNode view(Doc doc, JsonNode roots) throws IOException {
        ObjectNode view = JSON.createObjectNode();
        for (JsonNode root : roots) {
            String name = root.get("name").textValue();
            RootType type = type(root);
            view.withObject("/json").set(name, JSON.readTree(Projection.json(doc, name, type)));
            view.withObject("/tree").set(name, JSON.readTree(Projection.tree(doc, name, type)));
            if (type == RootType.TEXT) {
                view.withObject("/text").put(name, Projection.text(doc, name));
                view.withObject("/delta").set(name, JSON.readTree(Projection.delta(doc, name)));
            } else if (type == RootType.XML_FRAGMENT) {
                view.withObject("/xml").put(name, Projection.xml(doc, name));
            }
        }
        return view;
    }

    /** The parts of {@code expect} that {@link #view} makes, with neighbouring inserts of equal attributes joined. */
    static ObjectNode expectedView(JsonNode expect) {
        ObjectNode view = JSON.createObjectNode();
        for (String part : List.of("json", "tree", "text", "delta", "xml")) {
            if (expect.has(part)) {
                view.set(part, joined(expect.get(part)));
            }
        }
        return view;
    }

    static JsonNode joined(JsonNode node) {
        if (node.isObject()) {
            ObjectNode copy = JSON.createObjectNode();
            node.properties().forEach(member -> copy.set(member.getKey(), joined(member.getValue())));
            return copy;
        }
        if (!node.isArray()) {
            return node;
        }
        ArrayNode copy = JSON.createArrayNode();
        for (JsonNode element : node) {
            JsonNode last = copy.isEmpty() ? null : copy.get(copy.size() - 1);
            if (isText(element) && last != null && isText(last) && sameAttributes(element, last)) {
                String text =
                        last.get("insert").textValue() + element.get("insert").textValue();
                ((ObjectNode) last).put("insert", text);
            } else {
                copy.add(joined(element));
            }
        }
        return copy;
    }

    private static boolean isText(JsonNode op) {
        return op.isObject() && op.has("insert") && op.get("insert").isTextual();
    }

    private static boolean sameAttributes(JsonNode a, JsonNode b) {
        return a.path("attributes").equals(b.path("attributes"));
    }

    /** A test for each scenario of each family, named by it and the seed. */
    static Stream<DynamicTest> eachScenario(long seed, ThrowingConsumer<JsonNode> check) {
        return FAMILIES.stream()
                .flatMap(family -> family(family).stream())
                .map(scenario -> DynamicTest.dynamicTest(
                        scenario.get("id").textValue() + " seed " + seed, () -> check.accept(scenario)));
    }
}
