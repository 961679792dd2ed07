package dev.walmerge.bench.peers;

import dev.walmerge.bench.json.JsonScenarios;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** How our own figures are measured: by a JVM with this one's class path. */
final class OurSide {
    /** Whether a measuring process is to take less time, and say less. */
    static final boolean IS_QUICK = Boolean.getBoolean(JsonScenarios.QUICK);

    private OurSide() {}

    static List<String> rows(boolean quick, List<String> arguments) {
        return java(quick, List.of(), CoreRows.class, arguments);
    }

    /** The scenarios of a JSON document. */
    static List<String> scenarios(boolean quick, int items, String format) {
        return java(quick, JsonScenarios.JVM, JsonScenarios.class, List.of(Integer.toString(items), format));
    }

    private static List<String> java(boolean quick, List<String> options, Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-D" + JsonScenarios.QUICK + "=" + quick);
        command.addAll(List.of("-cp", absoluteClassPath(), main.getName()));
        command.addAll(arguments);
        return command;
    }

    /** The process runs in another folder. */
    private static String absoluteClassPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
