package dev.walmerge.bench.measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What a number was measured on: without it a number says nothing. */
public final class Machine {
    private Machine() {}

    /** Facts by name, in the order to print them. */
    public static Map<String, String> describe(Connection connection) throws SQLException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("postgres", connection.getMetaData().getDatabaseProductVersion());
        facts.putAll(describe());
        return facts;
    }

    /** The same of a measurement without a server. */
    public static Map<String, String> describe() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        facts.put(
                "machine",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch") + ", "
                        + Runtime.getRuntime().availableProcessors() + " processors");
        // More than the number of processors: someone else was busy too, and latencies are theirs as well.
        facts.put(
                "load",
                String.format(
                        Locale.ROOT,
                        "%.1f",
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        facts.put("commit", commit());
        return facts;
    }

    private static String commit() {
        String home = System.getProperty("walmerge.home");
        if (home == null) {
            return "unknown";
        }
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=12")
                    .directory(Path.of(home).toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return commit.isEmpty() ? "unknown" : commit;
        } catch (IOException e) {
            return "unknown";
        }
    }
}
