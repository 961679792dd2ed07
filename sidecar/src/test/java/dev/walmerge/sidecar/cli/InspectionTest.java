package dev.walmerge.sidecar.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What is recorded of yjs 13.6.33, seen from outside: each scenario as lines of {@code inspect --jsonl}. */
class InspectionTest {
    private static final Path VECTORS = Path.of("../materializer/crdt/src/test/resources/vectors/yjs");
    private static final List<String> KEYS =
            List.of("id", "json", "text", "delta", "xml", "tree", "sv", "stateV1", "stateV2", "pending", "error");

    /** Yjs' receiver had run its formatting clean-up when the partial state was recorded, so its bytes are no target. */
    private static final Set<String> CLEANED_UP_IN_PART = Set.of("text-rich-004");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Inspection INSPECTION = new Inspection();

    @TestFactory
    Stream<DynamicTest> recordedScenarios() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        try (Stream<Path> files = Files.list(VECTORS)) {
            for (Path file : files.sorted().toList()) {
                for (JsonNode scenario : read(file)) {
                    tests.add(DynamicTest.dynamicTest(scenario.get("id").textValue(), () -> check(scenario)));
                }
            }
        }
        assertThat(tests).hasSize(150);
        return tests.stream();
    }

    private static List<JsonNode> read(Path file) {
        List<JsonNode> scenarios = new ArrayList<>();
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file));
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                scenarios.add(JSON.readTree(line));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return scenarios;
    }

    private static void check(JsonNode scenario) throws IOException {
        for (String version : List.of("v1", "v2")) {
            for (boolean gc : new boolean[] {true, false}) {
                for (List<Integer> order : orders(scenario)) {
                    checkWhole(scenario, answer(request(scenario, version, updates(scenario, version, order), gc)), gc);
                }
                checkKept(scenario, version, gc);
                ArrayNode merged = JSON.createArrayNode().add(scenario.at("/merged/" + version));
                checkWhole(scenario, answer(request(scenario, version, merged, gc)), gc);
            }
            checkPartial(scenario, version);
            checkInferred(scenario, version);
        }
    }

    private static List<List<Integer>> orders(JsonNode scenario) {
        return List.of(
                IntStream.range(0, scenario.get("updates").size()).boxed().toList(),
                numbers(scenario.at("/orders/shuffledWithDuplicates")),
                numbers(scenario.at("/orders/reverse")));
    }

    private static List<Integer> numbers(JsonNode list) {
        List<Integer> numbers = new ArrayList<>();
        list.forEach(number -> numbers.add(number.intValue()));
        return numbers;
    }

    private static ArrayNode updates(JsonNode scenario, String version, List<Integer> order) {
        ArrayNode updates = JSON.createArrayNode();
        order.forEach(i -> updates.add(scenario.get("updates").get(i).get(version)));
        return updates;
    }

    private static ObjectNode request(JsonNode scenario, String version, ArrayNode updates, boolean gc) {
        ObjectNode request = JSON.createObjectNode();
        request.set("id", scenario.get("id"));
        request.put("format", "yjs-" + version).put("gc", gc);
        request.set("updates", updates);
        request.set("roots", scenario.get("roots"));
        return request;
    }

    private static JsonNode answer(ObjectNode request) throws IOException {
        String line = INSPECTION.inspect(request.toString());
        assertThat(line).doesNotContain("\n");
        JsonNode answer = JSON.readTree(line);
        List<String> keys = new ArrayList<>();
        answer.fieldNames().forEachRemaining(keys::add);
        assertThat(keys).isEqualTo(KEYS);
        assertThat(answer.get("id")).isEqualTo(request.get("id"));
        assertThat(answer.get("error").isNull()).isTrue();
        return answer;
    }

    private static void checkWhole(JsonNode scenario, JsonNode answer, boolean gc) throws IOException {
        JsonNode expect = scenario.get("expect");
        assertSame(view(answer), view(expect));
        assertThat(answer.get("sv")).isEqualTo(expect.get("sv"));
        assertThat(answer.get("pending").isNull()).isTrue();
        JsonNode noCleanup = scenario.get("noCleanup");
        if (gc && noCleanup.get("bytesIndependentOfOrder").booleanValue()) {
            assertThat(answer.get("stateV1")).isEqualTo(noCleanup.get("stateV1"));
            assertThat(answer.get("stateV2")).isEqualTo(noCleanup.get("stateV2"));
        }
        for (String version : List.of("v1", "v2")) {
            ArrayNode state = JSON.createArrayNode().add(answer.get("state" + version.toUpperCase(Locale.ROOT)));
            JsonNode again = answer(request(scenario, version, state, gc));
            assertSame(view(again), view(expect));
            assertThat(again.get("stateV1")).isEqualTo(answer.get("stateV1"));
            assertThat(again.get("stateV2")).isEqualTo(answer.get("stateV2"));
        }
    }

    /** Creation order only: whether a deleted pair was cut in two depends on what came first, in Yjs too. */
    private static void checkKept(JsonNode scenario, String version, boolean gc) throws IOException {
        boolean comparable = scenario.at("/noCleanup/bytesIndependentOfOrder").booleanValue()
                && scenario.at("/expect/cleanupTxns").intValue() == 0;
        if (!gc && comparable) {
            ArrayNode updates = updates(scenario, version, orders(scenario).get(0));
            JsonNode answer = answer(request(scenario, version, updates, false));
            assertThat(answer.get("stateV1")).isEqualTo(scenario.at("/expect/stateV1NoGc"));
            assertThat(answer.get("stateV2")).isEqualTo(scenario.at("/expect/stateV2NoGc"));
        }
    }

    private static void checkPartial(JsonNode scenario, String version) throws IOException {
        JsonNode partial = scenario.get("partial");
        JsonNode answer =
                answer(request(scenario, version, updates(scenario, version, numbers(partial.get("order"))), true));
        assertSame(view(answer), view(partial));
        assertThat(answer.get("sv")).isEqualTo(partial.get("sv"));
        JsonNode missing = partial.at("/pending/structs/missing");
        boolean deletes = partial.at("/pending/ds").asBoolean();
        if (missing.isEmpty() && !deletes) {
            assertThat(answer.get("pending").isNull()).isTrue();
        } else {
            ObjectNode pending = JSON.createObjectNode();
            pending.set("missing", missing.isMissingNode() ? JSON.createObjectNode() : missing);
            pending.put("ds", deletes);
            assertThat(answer.get("pending")).isEqualTo(pending);
        }
        if (!CLEANED_UP_IN_PART.contains(scenario.get("id").textValue())) {
            assertThat(answer.get("stateV1")).isEqualTo(partial.get("stateV1"));
            assertThat(answer.get("stateV2")).isEqualTo(partial.get("stateV2"));
        }
        ArrayNode merged = JSON.createArrayNode().add(partial.get("merged" + version.toUpperCase(Locale.ROOT)));
        JsonNode mergedAnswer = answer(request(scenario, version, merged, true));
        assertSame(view(mergedAnswer), view(partial));
        assertThat(mergedAnswer.get("sv")).isEqualTo(partial.get("sv"));
    }

    /** Without declared roots the same is shown of each that holds something. */
    private static void checkInferred(JsonNode scenario, String version) throws IOException {
        ObjectNode request = request(
                scenario, version, updates(scenario, version, orders(scenario).get(0)), true);
        request.remove("roots");
        JsonNode answer = answer(request);
        JsonNode expect = scenario.get("expect");
        for (JsonNode root : scenario.get("roots")) {
            String name = root.get("name").textValue();
            JsonNode json = expect.get("json").get(name);
            if (json.isTextual() ? json.textValue().isEmpty() : json.isEmpty()) {
                continue;
            }
            for (String part : List.of("json", "tree", "text", "delta", "xml")) {
                assertSame(
                        joined(answer.get(part).path(name)),
                        joined(expect.path(part).path(name)));
            }
        }
    }

    private static ObjectNode view(JsonNode answer) {
        ObjectNode view = JSON.createObjectNode();
        for (String part : List.of("json", "tree", "text", "delta", "xml")) {
            view.set(part, answer.has(part) ? joined(answer.get(part)) : JSON.createObjectNode());
        }
        return view;
    }

    private static void assertSame(JsonNode actual, JsonNode expected) {
        if (!actual.equals(expected)) {
            assertThat(actual.toPrettyString()).isEqualTo(expected.toPrettyString());
            assertThat(actual).isEqualTo(expected);
        }
    }

    /** With neighbouring text inserts of equal attributes joined. */
    private static JsonNode joined(JsonNode node) {
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
            boolean joins = last != null
                    && element.path("insert").isTextual()
                    && last.path("insert").isTextual()
                    && element.path("attributes").equals(last.path("attributes"));
            if (joins) {
                String text =
                        last.get("insert").textValue() + element.get("insert").textValue();
                ((ObjectNode) last).put("insert", text);
            } else {
                copy.add(joined(element));
            }
        }
        return copy;
    }
}
