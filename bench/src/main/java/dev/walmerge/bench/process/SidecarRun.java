package dev.walmerge.bench.process;

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
public final class SidecarRun implements AutoCloseable {
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
     * Starts {@code walmerge run}.
     *
     * @param options of the JVM, beside those that the launcher gives
     * @param arguments of the command
     * @param log what it prints goes there
     * @param failpoint null, or what to arm
     */
    public static SidecarRun start(List<String> options, List<String> arguments, Path log, String failpoint)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (FLAGS_TO_HAND_ON.stream().anyMatch(flag::startsWith)) {
                command.add(flag);
            }
        }
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.walmerge.sidecar.cli.Main", "run"));
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("WALMERGE_"));
        if (failpoint != null) {
            builder.environment().put(FailpointSetting.VARIABLE, failpoint);
        }
        return new SidecarRun(builder.start(), log);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public int exitCode() {
        return process.exitValue();
    }

    /** Whether it ended within that time. */
    public boolean endsWithin(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    /** Whether its log has {@code text} within that time, or it ends. */
    public boolean says(String text, long millis) throws InterruptedException {
        return says(text, millis, text);
    }

    /** The same, but {@code other} ends the wait too. */
    public boolean says(String text, long millis, String other) throws InterruptedException {
        await(() -> !isAlive() || log().contains(text) || log().contains(other), millis);
        return log().contains(text);
    }

    /** Waits, and tells whether the condition came true. */
    public static boolean await(BooleanSupplier condition, long millis) throws InterruptedException {
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
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** {@code STOP} or {@code CONT}. */
    public void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor(SIGNAL_SECONDS, TimeUnit.SECONDS);
    }

    public String log() {
        try {
            return Files.readString(log, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    public String lastWords() {
        List<String> lines = log().lines().toList();
        return log + ":\n  "
                + String.join("\n  ", lines.subList(Math.max(0, lines.size() - LAST_WORDS_LINES), lines.size()));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
