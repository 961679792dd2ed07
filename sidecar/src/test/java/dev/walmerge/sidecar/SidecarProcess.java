package dev.walmerge.sidecar;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The packaged sidecar as a process of its own, started as the launcher starts it. */
final class SidecarProcess implements AutoCloseable {
    private static final String JVM_FLAGS = System.getProperty("walmerge.jvm.flags");
    private static final Path LIBRARIES = Path.of("target", "lib");

    private final Process process;
    private final Path log;

    private SidecarProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Runs {@code walmerge} with these arguments; what it prints goes to the end of {@code log}. */
    static SidecarProcess start(Path log, String... arguments) {
        return start(256, Map.of(), log, arguments);
    }

    /** The same with a failpoint: {@code NAME:COUNT:ACTION}. */
    static SidecarProcess startWithFailpoint(String failpoint, Path log, String... arguments) {
        return start(256, Map.of("WALMERGE_FAILPOINT", failpoint), log, arguments);
    }

    /** The same with a heap of its own size. */
    static SidecarProcess startWithHeap(int megabytes, Path log, String... arguments) {
        return start(megabytes, Map.of(), log, arguments);
    }

    private static SidecarProcess start(int megabytes, Map<String, String> environment, Path log, String... arguments) {
        if (JVM_FLAGS == null || !Files.isDirectory(LIBRARIES)) {
            throw new IllegalStateException("run by `mvn verify`, after the package phase");
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(JVM_FLAGS.trim().split("\\s+")));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx" + megabytes + "m", "-cp", LIBRARIES + "/*"));
        command.add("dev.walmerge.sidecar.cli.Main");
        command.addAll(List.of(arguments));
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().putAll(environment);
            return new SidecarProcess(builder.start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean endsWithin(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    /** SIGKILL: nothing of the process gets to say goodbye. */
    void kill() {
        process.destroyForcibly();
        waitFor(10);
    }

    /** Sends a signal by its name, such as STOP or CONT. */
    void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IllegalStateException("kill -" + name + ": " + exit);
        }
    }

    /** SIGTERM, and the exit code. */
    int terminate(int timeoutSeconds) {
        process.destroy();
        return waitFor(timeoutSeconds);
    }

    int waitFor(int timeoutSeconds) {
        try {
            if (!process.waitFor(timeoutSeconds, TimeUnit.SECONDS)) {
                throw new IllegalStateException("still running; its log: " + log());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }
}
