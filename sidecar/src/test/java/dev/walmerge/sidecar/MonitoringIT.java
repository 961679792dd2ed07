package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sql.testing.PostgresServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged sidecar's port, from before the first session to SIGTERM. */
final class MonitoringIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int SECONDS = 60;

    @TempDir
    Path folder;

    @Test
    void thePortIsOpenWhileTheProcessLives() throws Exception {
        PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
        int port = freePort();
        try (SidecarProcess first = start("first", database, port)) {
            Probe probe = new Probe(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> probe.ask("/ready").equals("200 ready"));
            assertThat(probe.metrics())
                    .containsEntry("walmerge_connected", 1.0)
                    .doesNotContainKey("walmerge_build_info{version=\"unknown\"}");
            try (SidecarProcess second = start("second", database, port)) {
                assertThat(second.waitFor(SECONDS)).isEqualTo(ExitCode.OPERATOR);
                assertThat(second.log())
                        .contains("127.0.0.1 port " + port + " can't be listened at", "ops/RUNBOOK.md#http-address")
                        .doesNotContain("slot-in-use");
            }
            assertThat(probe.ask("/live")).isEqualTo("200 live");
            assertThat(first.terminate(SECONDS)).isEqualTo(ExitCode.OK);
        }
    }

    private SidecarProcess start(String name, PostgresServer.Database database, int port) {
        return SidecarProcess.start(
                folder.resolve(name + ".log"),
                "run",
                "--url",
                database.url(),
                "--slot",
                "http_" + database.name(),
                "--state-directory",
                folder.resolve(name).toString(),
                "--http",
                "127.0.0.1:" + port);
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }
}
