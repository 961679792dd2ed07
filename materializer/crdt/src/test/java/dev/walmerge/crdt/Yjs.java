package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * The real yjs in one node process, asked by lines of JSON ({@code exchange.mjs}). Its packages are installed from the lock file
 * into {@code target/yjs}. Without node or npm the tests that need it are skipped, but with {@code CI=true} in the
 * environment they fail.
 */
final class Yjs {
    private static final Path SOURCE = Path.of("src", "test", "generate");
    private static final Path FOLDER = Path.of("target", "yjs");

    private static Yjs started;
    private static String absent;

    private final BufferedReader replies;
    private final BufferedWriter requests;

    private Yjs() throws IOException {
        Process node = new ProcessBuilder("node", "exchange.mjs")
                .directory(FOLDER.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(node::destroy));
        replies = node.inputReader(StandardCharsets.UTF_8);
        requests = node.outputWriter(StandardCharsets.UTF_8);
    }

    /** The one of this run; skips or fails the calling test when there can't be one. */
    static synchronized Yjs get() {
        if (started == null && absent == null) {
            absent = start();
            if (absent != null && !isCi()) {
                System.err.println("SKIPPED, the real yjs is not compared with: " + absent);
            }
        }
        if (absent != null && isCi()) {
            fail("CI=true, but the real yjs can't be run: " + absent);
        }
        Assumptions.assumeTrue(absent == null, absent);
        return started;
    }

    private static boolean isCi() {
        return "true".equals(System.getenv("CI"));
    }

    /** Null, or why not. */
    private static String start() {
        String fault = run(Path.of("."), "node", "--version");
        if (fault == null && !isInstalled()) {
            fault = install();
        }
        if (fault != null) {
            return fault;
        }
        try {
            copy();
            started = new Yjs();
            return null;
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static boolean isInstalled() {
        try {
            return Files.exists(FOLDER.resolve("node_modules/.package-lock.json"))
                    && Files.mismatch(SOURCE.resolve("package-lock.json"), FOLDER.resolve("package-lock.json")) < 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static String install() {
        try {
            copy();
        } catch (IOException e) {
            return e.toString();
        }
        String fault = run(FOLDER, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error");
        return fault == null ? null : "no yjs; is the npm registry reachable? " + fault;
    }

    private static void copy() throws IOException {
        Files.createDirectories(FOLDER);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(SOURCE, "*.{mjs,json}")) {
            for (Path file : files) {
                Files.copy(file, FOLDER.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Null when it ended well, else what it said. */
    private static String run(Path folder, String... command) {
        String line = String.join(" ", command);
        try {
            Path said = Files.createTempFile("walmerge", ".txt");
            try {
                Process process = new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
                if (!process.waitFor(120, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    return "`" + line + "` took more than 120 seconds";
                }
                return process.exitValue() == 0 ? null : "`" + line + "` failed: " + Files.readString(said);
            } finally {
                Files.delete(said);
            }
        } catch (IOException e) {
            return "`" + line + "` can't be run: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "`" + line + "` was interrupted";
        }
    }

    static ObjectNode request(String name) {
        return Vectors.JSON.createObjectNode().put("request", name);
    }

    synchronized JsonNode ask(ObjectNode request) {
        try {
            requests.write(request.toString());
            requests.newLine();
            requests.flush();
            String reply = replies.readLine();
            if (reply == null) {
                throw new AssertionError("node ended; see what it wrote to standard error");
            }
            return Vectors.JSON.readTree(reply);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
