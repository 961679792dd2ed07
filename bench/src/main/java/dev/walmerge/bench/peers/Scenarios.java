package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.JsonNode;
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

    private static final String OURS = "walmerge-";

    private Scenarios() {}

    static void run(Packages packages, Figures figures, Progress progress, boolean quick, int rounds)
            throws IOException {
        for (int round = 0; round < rounds; round++) {
            for (int items : ITEMS) {
                for (String engine : ENGINES) {
                    String what = "round %d of %d, JSON document of %d".formatted(round + 1, rounds, items);
                    List<String> command = engine.startsWith(OURS)
                            ? OurSide.scenarios(quick, items, engine.substring(OURS.length()))
                            : packages.command(quick, List.of("scenarios.mjs", engine, Integer.toString(items)));
                    progress.measure(
                            engine, what, () -> measure(Child.run(packages.folder(), command), figures, engine, items));
                }
            }
        }
    }

    private static String measure(Child child, Figures figures, String engine, int items) {
        for (JsonNode line : child.lines()) {
            figures.add(line);
        }
        if (child.failure() != null) {
            for (String name : NAMES) {
                figures.reason(keyOf(engine, items, name), "failed: " + child.failure());
            }
        }
        return child.failure();
    }

    static FigureKey keyOf(String engine, int items, String scenario) {
        return new FigureKey(engine, Integer.toString(items), scenario, null);
    }
}
