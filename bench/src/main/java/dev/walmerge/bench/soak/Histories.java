package dev.walmerge.bench.soak;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.walmerge.bench.trace.Trace;
import dev.walmerge.bench.trace.TraceLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The histories of {@code bench/traces} with the answers of its {@code prefixes.json}. */
final class Histories {
    private static final String FOLDER = "/dev/walmerge/bench/traces/";

    private Histories() {}

    static List<History> load() {
        try (InputStream file = resource("prefixes.json")) {
            JsonNode recorded = new ObjectMapper().readTree(file);
            Map<String, List<byte[]>> traces = new HashMap<>();
            for (Trace trace : TraceLibrary.open().traces()) {
                traces.put(trace.name(), trace.updates());
            }
            List<History> histories = new ArrayList<>();
            for (Map.Entry<String, JsonNode> entry : recorded.get("histories").properties()) {
                JsonNode history = entry.getValue();
                List<String> answers = new ArrayList<>();
                history.get("sha256").forEach(answer -> answers.add(answer.asText()));
                histories.add(new History(
                        entry.getKey(),
                        history.get("answer").asText().equals("json"),
                        history.has("file") ? updates(history.get("file").asText()) : traces.get(entry.getKey()),
                        recorded.get("every").asInt(),
                        answers));
            }
            return histories;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<byte[]> updates(String name) throws IOException {
        try (InputStream file = resource(name)) {
            return TraceLibrary.readUpdates(file, false);
        }
    }

    private static InputStream resource(String name) throws IOException {
        InputStream file = Histories.class.getResourceAsStream(FOLDER + name);
        if (file == null) {
            throw new IOException("no resource " + name);
        }
        return file;
    }
}
