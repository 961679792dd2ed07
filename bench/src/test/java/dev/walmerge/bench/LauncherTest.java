package dev.walmerge.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the real launcher in a small tree, with programs in place of java and mvn that say how they were called. */
final class LauncherTest {
    @TempDir
    Path root;

    @BeforeEach
    void plant() throws IOException {
        Files.createDirectories(root.resolve("ops"));
        Files.copy(Path.of("..", "ops", "walmerge"), root.resolve("ops/walmerge"));
        Files.createDirectories(root.resolve("sidecar/src/main/java"));
        Files.writeString(root.resolve("pom.xml"), "<project/>");
        java("17.0.15");
        program("bin/mvn", """
                echo built >>"%1$s/builds"
                mkdir -p "%1$s/sidecar/target/lib" "%1$s/bench/target/lib"
                """.formatted(root));
    }

    @Test
    void buildsOnceAndAgainAfterAChange() throws Exception {
        assertThat(launch("demo", "--exit").exitCode).isZero();
        assertThat(launch("demo", "--exit").error).isEmpty();
        assertThat(builds()).hasSize(1);

        Path source = Files.writeString(root.resolve("sidecar/src/main/java/New.java"), "");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(2)));
        assertThat(launch("demo").error).contains("building");
        assertThat(builds()).hasSize(2);
    }

    @Test
    void twoAtOnceBuildOnce() throws Exception {
        Process one = begin(Map.of(), "demo");
        Process other = begin(Map.of(), "demo");
        assertThat(one.waitFor()).isZero();
        assertThat(other.waitFor()).isZero();
        assertThat(builds()).hasSize(1);
        assertThat(root.resolve("target/walmerge.lock")).doesNotExist();
    }

    @Test
    void takesOverTheLockOfAKilledBuild() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Files.createDirectories(root.resolve("target"));
        Files.createSymbolicLink(root.resolve("target/walmerge.lock"), Path.of(Long.toString(gone.pid())));
        assertThat(launch("demo").exitCode).isZero();
        assertThat(builds()).hasSize(1);
    }

    @Test
    void choosesTheModuleByTheCommand() throws Exception {
        assertThat(launch("bench", "keystroke").output)
                .contains("dev.walmerge.bench.Main bench keystroke")
                .contains("-cp " + root.toRealPath() + "/bench/target/lib/* ");
        assertThat(launch("run", "--url", "a b").output).contains("dev.walmerge.sidecar.cli.Main run --url a b");
        assertThat(launch().output).contains("dev.walmerge.sidecar.cli.Main help");
    }

    @Test
    void worksThroughALinkAndPassesOptions() throws Exception {
        Path link = Files.createSymbolicLink(root.resolve("bin/walmerge"), Path.of("..", "ops", "walmerge"));
        Run run = finish(begin(Map.of("JAVA_OPTS", "-Xmx99m -Dmine=1"), link, "demo"));
        assertThat(run.output).contains("-Xmx99m -Dmine=1").contains("-Dwalmerge.home=" + root.toRealPath());
    }

    @Test
    void givesNewerJavaItsFlags() throws Exception {
        assertThat(launch("demo").output).doesNotContain("--sun-misc-unsafe-memory-access");
        java("25");
        assertThat(launch("demo").output).contains("--sun-misc-unsafe-memory-access=allow");
    }

    @Test
    void saysWhichJavaIsTooOld() throws Exception {
        java("1.8.0_402");
        Run run = launch("demo");
        assertThat(run.exitCode).isEqualTo(3);
        assertThat(run.error).contains("needs a JDK 17").contains("bin/java is 1");
    }

    @Test
    void aFailedBuildSaysWhyAndIsTriedAgain() throws Exception {
        program("bin/mvn", "echo 'no such thing as a semicolon'; exit 1");
        Run run = launch("demo");
        assertThat(run.exitCode).isEqualTo(3);
        assertThat(run.error).contains("no such thing as a semicolon").contains("the build failed");
        assertThat(root.resolve("target/walmerge.lock")).doesNotExist();
        assertThat(launch("demo").exitCode).isEqualTo(3);
    }

    private record Run(int exitCode, String output, String error) {}

    private Run launch(String... arguments) throws Exception {
        return finish(begin(Map.of(), arguments));
    }

    private Process begin(Map<String, String> environment, String... arguments) throws IOException {
        return begin(environment, root.resolve("ops/walmerge"), arguments);
    }

    private Process begin(Map<String, String> environment, Path script, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", script.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(Path.of("/").toFile());
        builder.environment().clear();
        builder.environment().putAll(new TreeMap<>(environment));
        builder.environment().put("PATH", root.resolve("bin") + ":/usr/bin:/bin");
        return builder.start();
    }

    private static Run finish(Process process) throws Exception {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String error = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output, error);
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(root.resolve("builds"));
    }

    private void java(String version) throws IOException {
        program("bin/javac", "");
        program("bin/java", """
                case "$*" in
                  -version) echo 'openjdk version "%2$s" 2025-04-15' >&2 ;;
                  -XshowSettings*) echo '    java.home = %1$s' >&2 ;;
                  *) echo "$*" ;;
                esac
                """.formatted(root, version));
    }

    private void program(String name, String body) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/usr/bin/env bash\n" + body);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
