package dev.walmerge.bench.keystroke;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.walmerge.bench.measure.Latencies;
import dev.walmerge.bench.measure.Machine;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.config.StateDirectory;
import dev.walmerge.sidecar.embedded.EmbeddedServer;
import dev.walmerge.sidecar.migrate.Migrator;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ops/walmerge bench keystroke}: what one edit costs the app, beside rewriting a plain text column. */
@Command(
        name = "keystroke",
        mixinStandardHelpOptions = true,
        description = "One op INSERT beside a one-character UPDATE of a 5 kB text column: latency and WAL.")
public final class KeystrokeCommand implements Callable<Integer> {
    private static final String DOC = "k00001";
    private static final int PAYLOAD_BYTES = 40;
    private static final int ROW_CHARACTERS = 5000;
    private static final long OP_WAL_LIMIT_BYTES = 230;
    private static final SideBySide.Plan PLAN = new SideBySide.Plan(100, 50, 20);
    private static final int DISTINCT_UPDATES = 6000;

    @Option(
            names = "--url",
            description = "a JDBC URL of an installed database without a sidecar; default: a temporary embedded server")
    private String url;

    @Option(names = "--json", paramLabel = "FILE", description = "write the result there too")
    private Path json;

    private final PrintStream out = System.out;

    @Override
    public Integer call() throws Exception {
        if (url != null) {
            return measure(url);
        }
        try (EmbeddedServer server = EmbeddedServer.startEphemeral(StateDirectory.ofUser(System.getenv()))) {
            try (Connection connection = DriverManager.getConnection(server.url())) {
                Migrator.apply(connection);
            }
            return measure(server.url());
        }
    }

    private int measure(String address) throws Exception {
        try (Connection connection = DriverManager.getConnection(address)) {
            checkpoint(connection);
            List<byte[]> updates = KeystrokeUpdates.ofSize(PAYLOAD_BYTES, DISTINCT_UPDATES);
            SideBySide.Result result =
                    SideBySide.measure(connection, DOC, updates, Prose.write(ROW_CHARACTERS, 1), PLAN, () -> {});
            Map<String, String> machine = Machine.describe(connection);
            print(result, machine);
            if (json != null) {
                write(result, machine);
            }
            return result.op().walBytes() <= OP_WAL_LIMIT_BYTES ? ExitCode.OK : ExitCode.CHECK_FAILED;
        }
    }

    /** So that no checkpoint falls into the run. One who may not must do with medians. */
    private static void checkpoint(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("checkpoint");
        } catch (SQLException e) {
            System.err.println("walmerge: going on without a checkpoint: " + e.getMessage());
        }
    }

    private void print(SideBySide.Result result, Map<String, String> machine) {
        machine.forEach((name, value) -> out.printf("%-9s %s%n", name, value));
        out.printf(
                Locale.ROOT,
                "%n%d B payload, %d-character key, %,d-character row; %d rounds, medians%n%n",
                PAYLOAD_BYTES,
                DOC.length(),
                ROW_CHARACTERS,
                PLAN.rounds());
        out.printf("%-34s %10s %10s %12s %10s%n", "one edit", "p50", "p99", "WAL B", "WAL ratio");
        print("op INSERT", result.op(), result);
        print("plain UPDATE", result.plain(), result);
        print("plain UPDATE, GIN for search", result.plainWithGin(), result);
        out.printf(
                Locale.ROOT,
                "%nAn op INSERT may write %d B of WAL: %s%n",
                OP_WAL_LIMIT_BYTES,
                result.op().walBytes() <= OP_WAL_LIMIT_BYTES ? "kept" : "EXCEEDED");
    }

    private void print(String what, SideBySide.Cost cost, SideBySide.Result result) {
        out.printf(
                Locale.ROOT,
                "%-34s %10s %10s %,12d %10.3f%n",
                what,
                Latencies.millis(cost.latencies().percentileMillis(50)),
                Latencies.millis(cost.latencies().percentileMillis(99)),
                cost.walBytes(),
                cost.walBytes() / (double) result.plain().walBytes());
    }

    private void write(SideBySide.Result result, Map<String, String> machine) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode().put("scenario", "keystroke");
        machine.forEach(root::put);
        root.put("payloadBytes", PAYLOAD_BYTES)
                .put("keyCharacters", DOC.length())
                .put("rowCharacters", ROW_CHARACTERS)
                .put("rounds", PLAN.rounds())
                .put("opsPerRound", PLAN.opsPerRound())
                .put("updatesPerRound", PLAN.updatesPerRound());
        root.set("opInsert", cost(mapper, result.op()));
        root.set("plainUpdate", cost(mapper, result.plain()));
        root.set("plainUpdateWithGin", cost(mapper, result.plainWithGin()));
        Files.writeString(json, mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
    }

    private static ObjectNode cost(ObjectMapper mapper, SideBySide.Cost cost) {
        return mapper.createObjectNode()
                .put("p50Millis", cost.latencies().percentileMillis(50))
                .put("p99Millis", cost.latencies().percentileMillis(99))
                .put("walBytes", cost.walBytes());
    }
}
