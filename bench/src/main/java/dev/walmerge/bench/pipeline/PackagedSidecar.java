package dev.walmerge.bench.pipeline;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A sidecar in a process of its own with a heap of its own, started as the launcher starts it. One thread. */
final class PackagedSidecar implements AutoCloseable {
    private static final List<String> FLAGS_TO_HAND_ON =
            List.of("--add-opens", "--add-exports", "--enable-native-access", "--sun-misc", "-Dchronicle");
    /** {@code ... 245M->31M(256M) ...}: what a collection left, in MiB. */
    private static final Pattern COLLECTED = Pattern.compile("\\d+M->(\\d+)M\\(\\d+M\\)");

    private static final long STOP_SECONDS = 30;

    private final Process process;
    private final Path log;
    private final Path collections;

    private PackagedSidecar(Process process, Path log, Path collections) {
        this.process = process;
        this.log = log;
        this.collections = collections;
    }

    /** Starts it; its files go into {@code folder}. */
    static PackagedSidecar start(String url, Path folder, int heapMegabytes, String... arguments) throws IOException {
        Path log = folder.resolve("sidecar.log");
        Path collections = folder.resolve("collections.log");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (FLAGS_TO_HAND_ON.stream().anyMatch(flag::startsWith)) {
                command.add(flag);
            }
        }
        command.addAll(List.of("-Xmx" + heapMegabytes + "m", "-Xlog:gc:file=" + collections, "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.addAll(List.of("dev.walmerge.sidecar.cli.Main", "run", "--url", url));
        command.addAll(List.of("--state-directory", folder.resolve("state").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("WALMERGE_"));
        return new PackagedSidecar(builder.start(), log, collections);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int exitCode() {
        return process.exitValue();
    }

    /** What it said so far. */
    String log() throws IOException {
        return Files.readString(log, StandardCharsets.UTF_8);
    }

    /** Lines of its log that are no good news. */
    List<String> complaints() throws IOException {
        return log().lines()
                .filter(line -> line.contains(" WARN ") || line.contains(" ERROR ") || line.contains("OutOfMemory"))
                .toList();
    }

    /** The most that a collection of the heap left, in MiB; 0 before the first one. */
    int peakMegabytes() throws IOException {
        int peak = 0;
        Matcher collected = COLLECTED.matcher(Files.exists(collections) ? Files.readString(collections) : "");
        while (collected.find()) {
            peak = Math.max(peak, Integer.parseInt(collected.group(1)));
        }
        return peak;
    }

    /** SIGTERM, then SIGKILL. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
