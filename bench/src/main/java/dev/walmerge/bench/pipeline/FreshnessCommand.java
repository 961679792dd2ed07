package dev.walmerge.bench.pipeline;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.walmerge.bench.measure.Latencies;
import dev.walmerge.bench.measure.Machine;
import dev.walmerge.engine.failpoint.Failpoint;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.embedded.EmbeddedServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ops/walmerge bench freshness}: from COMMIT to a row that holds the op. */
@Command(
        name = "freshness",
        mixinStandardHelpOptions = true,
        description =
                "From the COMMIT of an op to the row of crdt.docs that holds it: under light load and a steady one,"
                        + " by the default policy and by crdt.sync.")
public final class FreshnessCommand implements Callable<Integer> {
    @Option(names = "--seconds", paramLabel = "N", defaultValue = "30", description = "a row: ${DEFAULT-VALUE}")
    private int seconds;

    @Option(names = "--only-light", description = "stop after the first row, the one that is split into stages")
    private boolean onlyLight;

    @Option(names = "--json", paramLabel = "FILE", description = "write the result there too")
    private Path json;

    private final PrintStream out = System.out;

    private record Row(String name, Latencies latencies) {}

    @Override
    public Integer call() throws Exception {
        House house = new House();
        try {
            EmbeddedServer server = house.open(true);
            house.startSidecar();
            return measure(server.url());
        } finally {
            house.close();
        }
    }

    private int measure(String url) throws Exception {
        Map<String, String> machine;
        try (Connection connection = DriverManager.getConnection(url)) {
            machine = Machine.describe(connection);
        }
        machine.forEach((name, value) -> out.printf("%-9s %s%n", name, value));
        out.printf("%n%-52s %10s %10s %10s %8s%n", "COMMIT to visible", "p50", "p99", "max", "samples");
        List<Row> rows = new ArrayList<>();
        SyncStages stages = new SyncStages();
        Failpoint.onReach(stages);
        rows.add(row(
                "5 kB document, an op at a time, crdt.sync",
                () -> FreshnessLoad.light(url, "a", true, seconds, stages)));
        Failpoint.onReach(null);
        stages.print(out);
        if (!onlyLight) {
            addOthers(url, rows);
        }
        if (json != null) {
            write(machine, rows, stages);
        }
        return ExitCode.OK;
    }

    private void addOthers(String url, List<Row> rows) throws Exception {
        rows.add(row("the same, default policy", () -> FreshnessLoad.light(url, "b", false, seconds, null)));
        rows.add(row("2,000 ops/s over 500 documents, crdt.sync", () -> FreshnessLoad.steady(url, "c", true, seconds)));
        rows.add(row("the same, default policy", () -> FreshnessLoad.steady(url, "d", false, seconds)));
    }

    private Row row(String name, Callable<Latencies> measurement) throws Exception {
        Latencies latencies = measurement.call();
        out.printf(
                Locale.ROOT,
                "%-52s %10s %10s %10s %8d%n",
                name,
                Latencies.millis(latencies.percentileMillis(50)),
                Latencies.millis(latencies.percentileMillis(99)),
                Latencies.millis(latencies.percentileMillis(100)),
                latencies.count());
        return new Row(name, latencies);
    }

    private void write(Map<String, String> machine, List<Row> rows, SyncStages stages) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode().put("scenario", "freshness");
        machine.forEach(root::put);
        ArrayNode array = root.putArray("rows");
        for (Row row : rows) {
            array.addObject()
                    .put("name", row.name)
                    .put("samples", row.latencies.count())
                    .put("p50Millis", row.latencies.percentileMillis(50))
                    .put("p99Millis", row.latencies.percentileMillis(99))
                    .put("maxMillis", row.latencies.percentileMillis(100));
        }
        stages.forEach(root.putObject("syncStagesMillis")::put);
        mapper.writerWithDefaultPrettyPrinter().writeValue(json.toFile(), root);
    }
}
