package dev.walmerge.bench.peers;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that measures: it prints a JSON line a figure.
 *
 * @param lines what it printed before it ended
 * @param failure null when it ended well, else the last words of it
 */
public record Child(List<JsonNode> lines, String failure) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long LIMIT_MINUTES = 5;

    public static Child run(Path folder, List<String> command) throws IOException {
        File output = Files.createTempFile("walmerge-peers", ".out").toFile();
        File errors = Files.createTempFile("walmerge-peers", ".err").toFile();
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectOutput(output)
                    .redirectError(errors)
                    .start();
            process.getOutputStream().close();
            return ended(process, output.toPath(), errors.toPath());
        } finally {
            Files.delete(output.toPath());
            Files.delete(errors.toPath());
        }
    }

    private static Child ended(Process process, Path output, Path errors) throws IOException {
        String failure = null;
        try {
            if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
                failure = "did not end within " + LIMIT_MINUTES + " minutes";
            } else if (process.exitValue() != 0) {
                failure = lastWords(errors);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = "interrupted";
        } finally {
            process.destroyForcibly();
        }
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(output, StandardCharsets.UTF_8)) {
            try {
                lines.add(JSON.readTree(line));
            } catch (JsonProcessingException e) {
                failure = failure == null ? "printed what is no JSON" : failure;
            }
        }
        return new Child(lines, failure);
    }

    /** The line that names the error: node and the JVM print the stack after it. */
    private static String lastWords(Path errors) throws IOException {
        List<String> said = Files.readAllLines(errors, StandardCharsets.ISO_8859_1);
        return said.stream()
                .filter(line -> line.matches("^(Exception|Error|[A-Za-z]*Error:|Caused by).*"))
                .findFirst()
                .orElse(said.isEmpty() ? "failed without a word" : said.get(said.size() - 1))
                .strip();
    }
}
