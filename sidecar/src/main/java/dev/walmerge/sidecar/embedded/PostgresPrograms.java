package dev.walmerge.sidecar.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the programs of one Postgres installation. Postgres refuses to run as root, so there they run in a user
 * namespace of their own, where the same user has another name and no privilege.
 */
final class PostgresPrograms {
    private static final long PROBE_SECONDS = 10;

    private final Path home;
    private final List<String> prefix;

    private PostgresPrograms(Path home, List<String> prefix) {
        this.home = home;
        this.prefix = prefix;
    }

    static PostgresPrograms in(Path home) {
        if (!"root".equals(System.getProperty("user.name")) && !isRoot()) {
            return new PostgresPrograms(home, List.of());
        }
        if (!canUnshare()) {
            throw new EmbeddedServerException(
                    "embedded-root",
                    "Postgres refuses to run as root, and user namespaces are blocked here: run walmerge as an"
                            + " ordinary user, or allow user namespaces (in a container:"
                            + " --security-opt seccomp=unconfined), or use a server of your own with --url");
        }
        return new PostgresPrograms(home, List.of("unshare", "-U"));
    }

    /** What a program did. */
    record Outcome(int exitCode, String output) {
        boolean ok() {
            return exitCode == 0;
        }
    }

    /**
     * Runs a program to its end and returns what it printed.
     *
     * @param timeoutSeconds after which it is killed and has exit code -1
     */
    Outcome run(long timeoutSeconds, String program, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(home.resolve("bin").resolve(program).toString());
        command.addAll(arguments);
        return run(timeoutSeconds, command);
    }

    /** The major version, for example 17. */
    int majorVersion() throws IOException {
        Outcome outcome = run(PROBE_SECONDS, "postgres", List.of("--version"));
        String version = outcome.output().strip().replaceAll("^.* ", "");
        try {
            return Integer.parseInt(version.replaceAll("\\D.*", ""));
        } catch (NumberFormatException e) {
            throw new EmbeddedServerException(
                    "embedded-platform",
                    "the embedded Postgres does not run on this machine: "
                            + outcome.output().strip(),
                    e);
        }
    }

    /** Output goes through a file: a server that is started would hold a pipe open. */
    private static Outcome run(long timeoutSeconds, List<String> command) throws IOException {
        Path output = Files.createTempFile("walmerge-", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
            builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
            builder.environment().put("LC_ALL", "C");
            Process process = builder.start();
            boolean ended = process.waitFor(timeoutSeconds, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            String printed = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
            return new Outcome(ended ? process.exitValue() : -1, printed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static boolean isRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static boolean canUnshare() {
        try {
            Outcome outcome = run(PROBE_SECONDS, List.of("unshare", "-U", "id", "-u"));
            return outcome.ok() && !"0".equals(outcome.output().strip());
        } catch (IOException e) {
            return false;
        }
    }
}
