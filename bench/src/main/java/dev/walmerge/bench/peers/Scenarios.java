package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.walmerge.bench.peers.Figures.FigureKey;
import java.io.IOException;
import java.util.List;

/** The scenarios of a JSON document: {@code bench/peers/scenarios.mjs} and our own beside it. */
final class Scenarios {
    static final List<Integer> ITEMS = List.of(10, 1000);
    static final List<String> ENGINES = List.of("yjs-v1", "yjs-v2", "json-joy", "loro", "walmerge-v1", "walmerge-v2");
    static final List<String> NAMES = List.of(
            "create",
            "create-encode",
            "export-first",
            "export-repeated",
            "read-field",
            "scalar-edit-0",
            "scalar-edit-1000",
            "scalar-edit-5000",
            "append-object",
            "edit-encode",
            "round-trip",
            "load-materialize",
            "offline-merge",
            "map-conflict-16");

    private static final String OURS = "walmerge";
    private static final List<String> OURS_BY_FORMAT = List.of("walmerge-v1", "walmerge-v2");

    private Scenarios() {}

    static void run(Packages packages, Figures figures, int rounds) throws IOException {
        for (int round = 0; round < rounds; round++) {
            for (int items : ITEMS) {
                for (String engine : ENGINES) {
                    if (!OURS_BY_FORMAT.contains(engine)) {
                        Progress.show(round, rounds, engine + " JSON document of " + items);
                        measure(
                                packages,
                                figures,
                                engine,
                                items,
                                packages.command(List.of("scenarios.mjs", engine, Integer.toString(items))));
                    }
                }
                Progress.show(round, rounds, "walmerge JSON document of " + items);
                measure(packages, figures, OURS, items, OurSide.scenarios(items));
            }
        }
        Progress.clear();
    }

    private static void measure(Packages packages, Figures figures, String engine, int items, List<String> command)
            throws IOException {
        if (command == null) {
            none(figures, engine, items, "not built yet");
            return;
        }
        Child child = Child.run(packages.folder(), command);
        for (JsonNode line : child.lines()) {
            for (String label : labels(line.path("engine").asText())) {
                figures.add(((ObjectNode) line.deepCopy()).put("engine", label));
            }
        }
        if (child.failure() != null) {
            none(figures, engine, items, "failed: " + child.failure());
        }
    }

    private static void none(Figures figures, String engine, int items, String reason) {
        for (String label : labels(engine)) {
            for (String name : NAMES) {
                figures.reason(keyOf(label, items, name), reason);
            }
        }
    }

    /** What of ours has no format counts for both. */
    private static List<String> labels(String engine) {
        return engine.equals(OURS) ? OURS_BY_FORMAT : List.of(engine);
    }

    static FigureKey keyOf(String engine, int items, String scenario) {
        return new FigureKey(engine, Integer.toString(items), scenario, null);
    }
}
