package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.walmerge.bench.peers.Figures.Figure;
import dev.walmerge.bench.peers.Figures.FigureKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** What was measured, for programs. */
final class Report {
    private final ObjectMapper mapper = new ObjectMapper();
    private final Map<String, String> facts;

    /** @param facts of the machine and the versions, by name */
    Report(Map<String, String> facts) {
        this.facts = facts;
    }

    void write(Figures figures, Path file) throws IOException {
        ObjectNode root = mapper.createObjectNode().put("scenario", "peers");
        facts.forEach(root::put);
        ArrayNode measured = root.putArray("figures");
        for (FigureKey key : figures.measured()) {
            Figure figure = figures.figure(key);
            ObjectNode line = describe(measured.addObject(), key);
            String unit = unitOf(figure);
            line.put(unit, figure.median()).put("low", figure.low()).put("high", figure.high());
            if (figure.bytes() != null && !unit.equals("bytes")) {
                line.put("bytes", figure.bytes());
            }
            line.put("processes", figure.processes());
            for (String repeated : new String[] {"warmups", "samples"}) {
                if (figure.last().has(repeated)) {
                    line.set(repeated, figure.last().get(repeated));
                }
            }
        }
        ArrayNode missing = root.putArray("missing");
        figures.reasons().forEach((key, reason) -> {
            if (figures.reasonFor(key) != null) {
                describe(missing.addObject(), key).put("reason", reason);
            }
        });
        Files.writeString(file, mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
    }

    private static ObjectNode describe(ObjectNode line, FigureKey key) {
        line.put("engine", key.engine()).put("subject", key.subject()).put("row", key.row());
        if (key.format() != null) {
            line.put("format", key.format());
        }
        return line;
    }

    private static String unitOf(Figure figure) {
        for (String unit : new String[] {"ms", "micros", "kB"}) {
            if (figure.last().has(unit)) {
                return unit;
            }
        }
        return "bytes";
    }
}
