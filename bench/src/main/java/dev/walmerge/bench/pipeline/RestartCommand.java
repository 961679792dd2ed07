package dev.walmerge.bench.pipeline;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.walmerge.bench.measure.Machine;
import dev.walmerge.sidecar.ExitCode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ops/walmerge bench restart}: how long a killed sidecar is missed. */
@Command(
        name = "restart",
        mixinStandardHelpOptions = true,
        description =
                "kill -9 of a sidecar process, idle and with ops that are not written, and the time from the start"
                        + " of the next one until every row is in the documents.")
public final class RestartCommand implements Callable<Integer> {
    /** Documents wait so long that none of a backlog is written before the kill. */
    private static final String WAIT =
            "select crdt.alter_collection(flush_debounce => '1 hour', flush_interval => '1 hour', staleness_max => '1 hour')";

    private static final String DEFAULTS =
            "select crdt.alter_collection(flush_debounce => '250 ms', flush_interval => '1 s', staleness_max => '10 s')";
    private static final String KEYS = "d";
    private static final int ROWS_PER_TRANSACTION = 100;
    /** Less than any backlog worth measuring. */
    private static final String LITTLE = "64KiB";

    @Spec
    private CommandSpec spec;

    @Option(names = "--documents", paramLabel = "N", defaultValue = "10000", description = "default: ${DEFAULT-VALUE}")
    private int documents;

    @Option(names = "--ops", paramLabel = "N", defaultValue = "100", description = "a document: ${DEFAULT-VALUE}")
    private int opsEach;

    @Option(
            names = "--backlog",
            paramLabel = "N",
            defaultValue = "10",
            description = "ops a document that are not written when it is killed: ${DEFAULT-VALUE}")
    private int backlogEach;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "of each kind, of which the medians are taken (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--json", paramLabel = "FILE", description = "write the result there too")
    private Path json;

    private final PrintStream out = System.out;
    private int opsWritten;

    private record Kind(String name, boolean backlog, boolean journal) {}

    private record Row(Kind kind, Restarts.Times median) {}

    @Override
    public Integer call() throws Exception {
        if (documents < 1 || opsEach < 1 || backlogEach < 1 || rounds < 1) {
            throw new ParameterException(spec.commandLine(), "all numbers must be positive");
        }
        House house = new House();
        try {
            String url = house.open(true).url();
            try (Restarts restarts = new Restarts(url, house.folder())) {
                return measure(restarts);
            }
        } finally {
            house.close();
        }
    }

    private int measure(Restarts restarts) throws Exception {
        Map<String, String> machine = Machine.describe(restarts.connection());
        machine.forEach((name, value) -> out.printf("%-9s %s%n", name, value));
        restarts.startFirst();
        Load.write(restarts.connection(), KEYS, documents, opsEach, ROWS_PER_TRANSACTION);
        opsWritten = opsEach;
        restarts.execute("call crdt.sync('30 min')");
        out.printf(
                Locale.ROOT,
                "%n%,d documents of %,d ops each%n%n%-44s %8s %9s %9s %8s %9s%n",
                documents,
                opsEach,
                "seconds from the start of the process to",
                "JVM up",
                "taken over",
                "replayed",
                "sent",
                "caught up");
        List<Row> rows = new ArrayList<>();
        boolean whole = true;
        String backlog = String.format(Locale.ROOT, "%,d ops not written", (long) documents * backlogEach);
        for (Kind kind : List.of(
                new Kind("idle", false, false),
                new Kind(backlog + ", from the slot", true, false),
                new Kind(backlog + ", from the journal", true, true))) {
            List<Restarts.Times> times = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                times.add(kind.backlog ? withBacklog(restarts, kind.journal) : idle(restarts));
                whole &= isWhole(restarts);
            }
            rows.add(new Row(kind, median(times)));
            print(rows.get(rows.size() - 1));
        }
        out.println(whole ? "Every document holds all of its ops." : "DOCUMENTS LACK OPS");
        if (json != null) {
            write(machine, rows);
        }
        return whole ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }

    private static Restarts.Times idle(Restarts restarts) throws Exception {
        restarts.kill();
        return restarts.startAgain(null);
    }

    private Restarts.Times withBacklog(Restarts restarts, boolean journal) throws Exception {
        restarts.kill();
        restarts.startAgain(journal ? LITTLE : null);
        restarts.execute(WAIT);
        String begin = restarts.text("select pg_current_wal_insert_lsn()::text");
        Load.writeMore(restarts.connection(), KEYS, documents, opsWritten, backlogEach, ROWS_PER_TRANSACTION);
        opsWritten += backlogEach;
        String end = restarts.text("select pg_current_wal_insert_lsn()::text");
        // All of it is in the process, or promised.
        restarts.await(
                "exists (select from pg_replication_slots r left join pg_stat_replication s on s.pid = r.active_pid"
                        + " where r.slot_name = 'bench' and " + (journal ? "r.confirmed_flush_lsn" : "s.sent_lsn")
                        + " >= '" + end
                        + "')");
        restarts.kill();
        if (!restarts.text("select bool_and(written <= '" + begin + "')::text from crdt.progress")
                .equals("true")) {
            throw new IOException("some of the backlog was written before the kill");
        }
        restarts.execute(DEFAULTS);
        Restarts.Times times = restarts.startAgain(null);
        if (restarts.lastReplayedItsJournal() != journal) {
            throw new IOException("the journal was " + (journal ? "not replayed" : "replayed"));
        }
        return times;
    }

    /** Each document typed the same: all of them, whole, and with one text. */
    private boolean isWhole(Restarts restarts) throws SQLException {
        return restarts.text("select (count(*) = " + documents + " and min(op_count) = " + opsWritten
                        + " and max(op_count) = " + opsWritten
                        + " and count(distinct md5(body_text)) = 1)::text from crdt.docs")
                .equals("true");
    }

    private void print(Row row) {
        Restarts.Times times = row.median;
        out.printf(
                Locale.ROOT,
                "%-44s %8.2f %9.2f %9.2f %8.2f %9.2f%n",
                row.kind.name,
                times.connected(),
                times.tookOver(),
                times.replayed(),
                times.sent(),
                times.caughtUp());
    }

    private static Restarts.Times median(List<Restarts.Times> times) {
        return new Restarts.Times(
                median(times, Restarts.Times::connected),
                median(times, Restarts.Times::tookOver),
                median(times, Restarts.Times::replayed),
                median(times, Restarts.Times::sent),
                median(times, Restarts.Times::caughtUp));
    }

    private static double median(List<Restarts.Times> times, ToDoubleFunction<Restarts.Times> of) {
        double[] sorted = times.stream().mapToDouble(of).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private void write(Map<String, String> machine, List<Row> rows) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode().put("scenario", "restart");
        machine.forEach(root::put);
        root.put("documents", documents)
                .put("opsEach", opsEach)
                .put("backlogEach", backlogEach)
                .put("rounds", rounds);
        ArrayNode array = root.putArray("rows");
        for (Row row : rows) {
            array.addObject()
                    .put("name", row.kind.name)
                    .put("connectedSeconds", row.median.connected())
                    .put("tookOverSeconds", row.median.tookOver())
                    .put("replayedSeconds", row.median.replayed())
                    .put("sentSeconds", row.median.sent())
                    .put("caughtUpSeconds", row.median.caughtUp());
        }
        mapper.writerWithDefaultPrettyPrinter().writeValue(json.toFile(), root);
    }
}
