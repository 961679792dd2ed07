package dev.walmerge.bench.peers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How our own figures are measured: by a JVM with this one's class path. */
final class OurSide {
    private static final String REPLAY = "dev.walmerge.bench.core.LocalEdits";
    private static final String SCENARIOS = "dev.walmerge.bench.json.JsonScenarios";

    private OurSide() {}

    static List<String> rows(String history, String group, String trace, String rows) {
        return java(CoreRows.class.getName(), history, group, trace, rows);
    }

    /** The replay of local edits; null while this build has none. */
    static List<String> replay(TraceFiles trace) {
        return isBuilt(REPLAY) ? java(REPLAY, trace.raw().toString()) : null;
    }

    /** The scenarios of a JSON document; null while this build has none. */
    static List<String> scenarios(int items) {
        return isBuilt(SCENARIOS) ? java(SCENARIOS, Integer.toString(items)) : null;
    }

    private static boolean isBuilt(String main) {
        return OurSide.class.getResource("/" + main.replace('.', '/') + ".class") != null;
    }

    private static List<String> java(String main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(List.of(arguments));
        return command;
    }
}
