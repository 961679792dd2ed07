package dev.walmerge.sidecar.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedServerTest {
    /** Above the port that a demo on this machine would use. */
    private static final int PORT = 55_400;

    /** One for all tests: unpacking takes seconds. */
    @TempDir
    static Path state;

    @Test
    void keepsItsDataAndRefusesASecondUser() throws Exception {
        try (EmbeddedServer server = EmbeddedServer.start(state, false, PORT)) {
            assertThat(show(server, "wal_level")).isEqualTo("logical");
            assertThat(show(server, "fsync")).isEqualTo("on");
            assertThat(show(server, "synchronous_commit")).isEqualTo("on");
            execute(server, "create table kept (n int)");

            assertThatThrownBy(() -> EmbeddedServer.start(state, false, PORT))
                    .isInstanceOfSatisfying(
                            EmbeddedServerException.class,
                            e -> assertThat(e.code()).isEqualTo("embedded-busy"))
                    .hasMessageContaining("process " + ProcessHandle.current().pid())
                    .hasMessageContaining("port " + server.port());
        }
        try (EmbeddedServer server = EmbeddedServer.start(state, false, PORT)) {
            execute(server, "drop table kept");
        }
    }

    @Test
    void comesBackAfterAKillAndAfterAShutDownOnItsPort() throws Exception {
        try (EmbeddedServer server = EmbeddedServer.startNamed(state, "named")) {
            int port = server.port();
            execute(server, "create table kept (n int)");
            server.kill();
            server.restart();
            execute(server, "insert into kept values (1)");
            server.shutDown();
            assertThatThrownBy(() -> show(server, "fsync")).isInstanceOf(SQLException.class);
            server.restart();
            execute(server, "drop table kept");
            assertThat(server.port()).isEqualTo(port);
            server.kill();
        }
        assertThat(state.resolve("named")).isDirectory();
    }

    @Test
    void stopsTheServerOfAKilledProcessAndGoesOnWithItsData() throws Exception {
        long orphan = killAProcessThatStarts("kept");
        assertThat(ProcessHandle.of(orphan))
                .as("the kill left the server running")
                .isPresent();

        try (EmbeddedServer server = EmbeddedServer.start(state, false, PORT)) {
            awaitEnd(orphan);
            execute(server, "drop table of_the_killed_one");
        }
    }

    @Test
    void removesWhatAKilledEphemeralServerLeft() throws Exception {
        Path parent = state.resolve("ephemeral");
        long orphan = killAProcessThatStarts("ephemeral");
        assertThat(parent).isNotEmptyDirectory();

        try (EmbeddedServer server = EmbeddedServer.start(state, true, PORT)) {
            awaitEnd(orphan);
            assertThat(list(parent)).containsExactly(server.folder());
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void takesTheNextPortWhenItsOwnIsTaken() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
                EmbeddedServer server = EmbeddedServer.start(state, true, other.getLocalPort())) {
            assertThat(server.port()).isGreaterThan(other.getLocalPort());
            assertThat(show(server, "port")).isEqualTo(Integer.toString(server.port()));
        }
    }

    /** What a killed process runs: starts a server, prints its postmaster's process id, waits for its end. */
    public static void main(String[] arguments) throws Exception {
        EmbeddedServer server = EmbeddedServer.start(Path.of(arguments[0]), arguments[1].equals("ephemeral"), PORT);
        execute(server, "create table of_the_killed_one (n int)");
        System.out.println(
                PidFile.read(server.folder().resolve("data")).orElseThrow().pid());
        new CountDownLatch(1).await();
    }

    private static long killAProcessThatStarts(String kind) throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        EmbeddedServerTest.class.getName(),
                        state.toString(),
                        kind))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            String line = output.readLine();
            while (line != null && !line.matches("\\d+")) {
                line = output.readLine();
            }
            assertThat(line).as("process id of the postmaster").isNotNull();
            process.destroyForcibly().waitFor();
            await().atMost(Duration.ofSeconds(10)).until(() -> !process.isAlive());
            return Long.parseLong(line);
        }
    }

    /** A process that ended stays visible until its new parent has noticed. */
    private static void awaitEnd(long pid) {
        await().atMost(Duration.ofSeconds(10))
                .until(() ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }

    private static List<Path> list(Path folder) throws Exception {
        try (var files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static void execute(EmbeddedServer server, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String show(EmbeddedServer server, String setting) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show " + setting)) {
            row.next();
            return row.getString(1);
        }
    }
}
