package dev.walmerge.bench.soak;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.walmerge.bench.peers.Child;
import dev.walmerge.bench.peers.Packages;
import dev.walmerge.bench.peers.PeersException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * The stored states as yjs itself reads them: each document's rows of {@code crdt.load} in node, whose text and JSON must be
 * those of {@code crdt.docs}.
 *
 * @param documents how many were compared
 * @param problems what differs
 * @param absent null, or why nothing was compared
 */
record RealYjs(int documents, List<String> problems, String absent) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** @param folder where what is handed to node may be kept */
    static RealYjs compare(Connection connection, List<PlannedDocument> documents, Path folder)
            throws SQLException, IOException {
        Packages yjs;
        try {
            Path bench = bench();
            yjs = Packages.install(
                    bench.resolve("traces"), bench.resolve("target").resolve("yjs"));
        } catch (PeersException e) {
            return new RealYjs(0, List.of(), e.getMessage());
        }
        Path stored = folder.resolve("stored.ndjson").toAbsolutePath();
        try (BufferedWriter out = Files.newBufferedWriter(stored)) {
            for (PlannedDocument document : documents) {
                ObjectNode line = line(connection, document);
                if (line != null) {
                    out.write(JSON.writeValueAsString(line));
                    out.write('\n');
                }
            }
        }
        return answer(Child.run(yjs.folder(), yjs.command(List.of("stored.mjs", stored.toString()))));
    }

    /** The launcher says where the sources are; tests run in the module's folder. */
    private static Path bench() {
        String home = System.getProperty("walmerge.home");
        return (home == null ? Path.of("") : Path.of(home, "bench")).toAbsolutePath();
    }

    /** Null if there is no row to compare with: {@link Verdict} says so. */
    private static ObjectNode line(Connection connection, PlannedDocument document) throws SQLException {
        ObjectNode line = JSON.createObjectNode()
                .put("doc", document.key())
                .put("board", document.history().json());
        try (PreparedStatement select =
                connection.prepareStatement("select body_text, body_json::text from crdt.docs where doc = ?")) {
            select.setString(1, document.key());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                line.put("text", row.getString(1)).put("json", row.getString(2));
            }
        }
        ArrayNode parts = line.putArray("parts");
        try (PreparedStatement select =
                connection.prepareStatement("select format, payload from crdt.load(?) order by seq")) {
            select.setString(1, document.key());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    parts.addArray()
                            .add(row.getString(1))
                            .add(Base64.getEncoder().encodeToString(row.getBytes(2)));
                }
            }
        }
        return line;
    }

    private static RealYjs answer(Child node) {
        List<String> problems = new ArrayList<>();
        int documents = 0;
        for (JsonNode line : node.lines()) {
            if (line.has("problem")) {
                problems.add(
                        line.get("doc").asText() + ": " + line.get("problem").asText());
            } else {
                documents = line.path("documents").asInt();
            }
        }
        if (node.failure() != null) {
            problems.add("node failed: " + node.failure());
        }
        return new RealYjs(documents, problems, null);
    }

    String summary() {
        return absent == null
                ? String.format("yjs itself loaded %,d documents: %,d differ", documents, problems.size())
                : "SKIPPED, the stored states are not loaded by yjs itself: " + absent;
    }
}
