package dev.walmerge.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.bench.trace.Trace;
import dev.walmerge.bench.trace.TraceLibrary;
import dev.walmerge.sidecar.Sidecar;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.embedded.EmbeddedServer;
import dev.walmerge.sidecar.migrate.Migrator;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo with one history: a real server, a real sidecar, texts as yjs gives them. */
final class DemoTest {
    private static final int EDITS_PER_SECOND = 3000;

    @TempDir
    Path state;

    @Test
    void mergesARealHistoryWhileItIsTyped() throws Exception {
        TraceLibrary library = TraceLibrary.open();
        List<Trace> one = library.traces().stream()
                .filter(trace -> trace.name().equals("clownschool"))
                .toList();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (EmbeddedServer server = EmbeddedServer.startEphemeral(state)) {
            try (Connection connection = DriverManager.getConnection(server.url())) {
                Migrator.apply(connection);
            }
            Map<Setting, String> flags = Map.of(
                    Setting.URL,
                    server.url(),
                    Setting.STATE_DIRECTORY,
                    state.resolve("sidecar").toString());
            try (Sidecar sidecar = Sidecar.start(ConfigLoader.load(flags, Map.of(), null));
                    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
                assertThat(sidecar.stats()).isNotNull();
                boolean ok = new Demo(server.url(), library, one, EDITS_PER_SECOND, out, false).run();
                assertThat(ok).as(printed.toString(StandardCharsets.UTF_8)).isTrue();
            }
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("equals what yjs gives")
                .contains("<b>clown</b> <b>school</b>")
                .containsPattern("milk +\\| t")
                .containsPattern("op INSERT into crdt.ops .* 1[0-9][0-9] B of WAL");
    }
}
