package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.walmerge.bench.trace.TraceLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Scripts for node and the packages that their lock file pins, in a folder that may be thrown away: the peers and what measures them,
 * or yjs alone.
 *
 * @param folder has scripts and node_modules
 * @param nodeVersion as node says it
 */
public record Packages(Path folder, String nodeVersion) {
    private static final int OLDEST_NODE = 20;
    private static final String LOCK = "package-lock.json";

    /**
     * Copies the scripts and has npm install what the lock file pins, unless it is there.
     *
     * @param sources {@code bench/peers}, or another folder with a lock file
     * @param folder made when it isn't there
     */
    public static Packages install(Path sources, Path folder) throws IOException, PeersException {
        String version = findNode();
        copy(sources, folder);
        Path stamp = folder.resolve("installed");
        String lock = TraceLibrary.sha256(Files.readString(folder.resolve(LOCK)));
        if (!Files.exists(stamp) || !Files.readString(stamp).equals(lock)) {
            System.err.println("walmerge: npm ci in " + folder + " ...");
            Child npm = Child.run(folder, List.of("npm", "ci", "--silent", "--no-audit", "--no-fund"));
            if (npm.failure() != null) {
                throw new PeersException("npm ci failed in " + folder + ": " + npm.failure());
            }
            Files.writeString(stamp, lock);
        }
        return new Packages(folder, version);
    }

    /** A script with its arguments, as a command. */
    public List<String> command(List<String> script) {
        return command(false, script);
    }

    List<String> command(boolean quick, List<String> script) {
        List<String> command = new ArrayList<>(List.of("node", "--expose-gc"));
        command.addAll(script);
        if (quick) {
            command.add("--quick");
        }
        return command;
    }

    String versionOf(Engine engine) throws IOException {
        Path description =
                folder.resolve("node_modules").resolve(engine.npmPackage()).resolve("package.json");
        return new ObjectMapper().readTree(description.toFile()).get("version").asText();
    }

    private static String findNode() throws PeersException {
        String version;
        try {
            Process node = new ProcessBuilder("node", "--version").start();
            version = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new PeersException("needs node " + OLDEST_NODE + " or later, with npm, on the PATH");
        }
        if (!version.matches("v\\d+\\..*")
                || Integer.parseInt(version.substring(1, version.indexOf('.'))) < OLDEST_NODE) {
            throw new PeersException("needs node " + OLDEST_NODE + " or later; this one says " + version);
        }
        return version;
    }

    private static void copy(Path sources, Path folder) throws IOException, PeersException {
        if (!Files.exists(sources.resolve(LOCK))) {
            throw new PeersException("no scripts in " + sources + ": run it from a checkout");
        }
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path name = sources.relativize(file);
                if (!name.startsWith("node_modules")) {
                    Path copy = folder.resolve(name);
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }
}
