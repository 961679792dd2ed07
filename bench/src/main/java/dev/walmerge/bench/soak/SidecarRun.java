package dev.walmerge.bench.soak;

import dev.walmerge.engine.failpoint.FailpointSetting;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A sidecar as a process of its own, started as the launcher starts it. One thread. */
final class SidecarRun implements AutoCloseable {
    /** The slot that all of a run's sidecars want. */
    static final String SLOT = "soak";

    private static final List<String> FLAGS_TO_HAND_ON =
            List.of("--add-opens", "--add-exports", "--enable-native-access", "--sun-misc", "-Dchronicle");
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long SIGNAL_SECONDS = 10;
    private static final int LAST_WORDS_LINES = 12;

    private final Process process;
    private final Path log;

    private SidecarRun(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts it.
     *
     * @param state the folder of its journal
     * @param log what it prints goes there
     * @param failpoint null, or what to arm
     * @param journalAbove null, or that setting
     */
    static SidecarRun start(String url, Path state, Path log, String failpoint, String journalAbove)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (FLAGS_TO_HAND_ON.stream().anyMatch(flag::startsWith)) {
                command.add(flag);
            }
        }
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx256m", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of("dev.walmerge.sidecar.cli.Main", "run", "--url", url, "--slot", SLOT));
        // So little memory that documents are evicted and loaded again.
        command.addAll(List.of("--shards", "2", "--memory", "16MiB"));
        if (journalAbove != null) {
            command.addAll(List.of("--journal-above", journalAbove));
        }
        command.addAll(List.of("--state-directory", state.toString()));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("WALMERGE_"));
        if (failpoint != null) {
            builder.environment().put(FailpointSetting.VARIABLE, failpoint);
        }
        return new SidecarRun(builder.start(), log);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int exitCode() {
        return process.exitValue();
    }

    /** Whether it ended within that time. */
    boolean endsWithin(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    /** Whether its log has {@code text} within that time, or it ends. */
    boolean says(String text, long millis) throws InterruptedException {
        return says(text, millis, text);
    }

    /** The same, but {@code other} ends the wait too. */
    boolean says(String text, long millis, String other) throws InterruptedException {
        await(() -> !isAlive() || log().contains(text) || log().contains(other), millis);
        return log().contains(text);
    }

    /** Waits, and tells whether the condition came true. */
    static boolean await(BooleanSupplier condition, long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    /** SIGKILL, which ends a stopped process too. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** {@code STOP} or {@code CONT}. */
    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor(SIGNAL_SECONDS, TimeUnit.SECONDS);
    }

    String log() {
        try {
            return Files.readString(log, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    String lastWords() {
        List<String> lines = log().lines().toList();
        return log + ":\n  "
                + String.join("\n  ", lines.subList(Math.max(0, lines.size() - LAST_WORDS_LINES), lines.size()));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
