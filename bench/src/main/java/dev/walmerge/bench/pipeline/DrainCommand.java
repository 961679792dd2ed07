package dev.walmerge.bench.pipeline;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.walmerge.bench.measure.Machine;
import dev.walmerge.engine.EngineStats;
import dev.walmerge.sidecar.ExitCode;
import dev.walmerge.sidecar.embedded.EmbeddedServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ops/walmerge bench drain}: how fast a backlog is worked off, beside the fastest that can read it. */
@Command(
        name = "drain",
        mixinStandardHelpOptions = true,
        description =
                "Works off a backlog of ops, merging and writing back, beside pg_recvlogical throwing the same WAL"
                        + " away: rows a second and their ratio.")
public final class DrainCommand implements Callable<Integer> {
    private static final long LOOK_NANOS = 2_000_000;

    @Option(names = "--documents", paramLabel = "N", defaultValue = "1000", description = "default: ${DEFAULT-VALUE}")
    private int documents;

    @Option(names = "--ops", paramLabel = "N", defaultValue = "1000", description = "a document: ${DEFAULT-VALUE}")
    private int opsEach;

    @Option(
            names = "--rows-per-transaction",
            paramLabel = "N",
            defaultValue = "1",
            description = "default: ${DEFAULT-VALUE}")
    private int rowsPerTransaction;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "of which the medians are taken (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--staleness-max",
            paramLabel = "INTERVAL",
            description = "how long a document may wait for its row while the sidecar is far behind (default: 10 s)")
    private String stalenessMax;

    @Option(names = "--json", paramLabel = "FILE", description = "write the result there too")
    private Path json;

    private final PrintStream out = System.out;
    /** Of the last round, until all was merged. */
    private Map<String, Long> parts;

    /** What one round took, from the start of each reader. */
    private record Round(double rawSeconds, double rawAgainSeconds, double mergedSeconds, double writtenSeconds) {}

    @Override
    public Integer call() throws Exception {
        if (!RawReader.isThere()) {
            System.err.println("walmerge: there is no pg_recvlogical to compare with on the PATH;"
                    + " Debian, Ubuntu: apt install postgresql-client");
            return ExitCode.OPERATOR;
        }
        House house = new House();
        try {
            return measure(house);
        } finally {
            house.close();
        }
    }

    private int measure(House house) throws Exception {
        EmbeddedServer server = house.open(true);
        // Its slot must be there before the WAL that it is to read.
        house.startSidecar();
        house.stopSidecar();
        if (stalenessMax != null) {
            setStalenessMax(server);
        }
        List<Round> results = new ArrayList<>();
        boolean whole = true;
        try (Connection connection = DriverManager.getConnection(server.url())) {
            Map<String, String> machine = Machine.describe(connection);
            machine.forEach((name, value) -> out.printf("%-9s %s%n", name, value));
            out.printf(
                    Locale.ROOT,
                    "%n%,d rows over %,d documents, %,d a transaction%n%n%-7s %14s %14s %14s %8s %14s%n",
                    rows(),
                    documents,
                    rowsPerTransaction,
                    "round",
                    "pg_recvlogical",
                    "the same again",
                    "merged",
                    "ratio",
                    "written");
            for (int round = 1; round <= rounds; round++) {
                Round result = round(house, server, connection, "r" + round + "-");
                results.add(result);
                whole &= isWhole(connection, "r" + round + "-");
                print(Integer.toString(round), result);
                out.println("        processor, ms until merged: " + describe(parts));
            }
            Round median = new Round(
                    median(results, Round::rawSeconds),
                    median(results, Round::rawAgainSeconds),
                    median(results, Round::mergedSeconds),
                    median(results, Round::writtenSeconds));
            print("median", median);
            out.println(whole ? "Every document holds all of its ops." : "DOCUMENTS LACK OPS");
            if (json != null) {
                write(machine, median);
            }
        }
        return whole ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }

    private void setStalenessMax(EmbeddedServer server) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url());
                PreparedStatement alter =
                        connection.prepareStatement("select crdt.alter_collection(staleness_max => ?::interval)")) {
            alter.setString(1, stalenessMax);
            alter.execute();
        }
    }

    /** What took the most first, until the rest is not worth a word. */
    private static String describe(Map<String, Long> parts) {
        return parts.entrySet().stream()
                .filter(part -> part.getValue() >= 10)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .map(part -> part.getKey() + " " + part.getValue())
                .collect(Collectors.joining(", "));
    }

    private Round round(House house, EmbeddedServer server, Connection connection, String prefix) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select pg_create_logical_replication_slot(name, 'pgoutput')"
                    + " from unnest(array['bench_raw', 'bench_raw_again']) name");
        }
        Load.write(connection, prefix, documents, opsEach, rowsPerTransaction);
        String endLsn = text(connection, "select pg_current_wal_insert_lsn()::text");
        text(connection, "select pg_logical_emit_message(true, 'bench', 'past the end')::text");
        double raw = RawReader.drain(server, "bench_raw", endLsn) / 1e9;
        long begun = System.nanoTime();
        house.startSidecar();
        awaitMerged(house);
        double merged = (System.nanoTime() - begun) / 1e9;
        parts = ProcessorTime.byPart(connection);
        String allWritten = "select (coalesce(sum(op_count), 0) >= " + rows()
                + ")::text from crdt.docs where doc like '" + prefix + "%'";
        while (!text(connection, allWritten).equals("true")) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        double written = (System.nanoTime() - begun) / 1e9;
        house.stopSidecar();
        double again = RawReader.drain(server, "bench_raw_again", endLsn) / 1e9;
        try (Statement statement = connection.createStatement()) {
            statement.execute("select pg_drop_replication_slot(name)"
                    + " from unnest(array['bench_raw', 'bench_raw_again']) name");
        }
        return new Round(raw, again, merged, written);
    }

    private void awaitMerged(House house) {
        for (EngineStats stats = house.stats(); stats == null || stats.merged() < rows(); stats = house.stats()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Each document typed the same: all of them, whole, and with one text. */
    private boolean isWhole(Connection connection, String prefix) throws SQLException {
        return text(
                        connection,
                        "select (count(*) = " + documents + " and min(op_count) = " + opsEach + " and max(op_count) = "
                                + opsEach
                                + " and count(distinct md5(body_text)) = 1)::text from crdt.docs where doc like '"
                                + prefix + "%'")
                .equals("true");
    }

    private long rows() {
        return (long) documents * opsEach;
    }

    private void print(String name, Round round) {
        out.printf(
                Locale.ROOT,
                "%-7s %,10.0f/s %,12.0f/s %,12.0f/s %8.2f %,12.0f/s%n",
                name,
                rows() / round.rawSeconds,
                rows() / round.rawAgainSeconds,
                rows() / round.mergedSeconds,
                ratio(round),
                rows() / round.writtenSeconds);
    }

    /** Of rows a second, to the mean of both readings beside it. */
    private static double ratio(Round round) {
        return (round.rawSeconds + round.rawAgainSeconds) / 2 / round.mergedSeconds;
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> of) {
        double[] sorted = rounds.stream().mapToDouble(of).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private void write(Map<String, String> machine, Round median) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode().put("scenario", "drain");
        machine.forEach(root::put);
        root.put("rows", rows())
                .put("documents", documents)
                .put("rowsPerTransaction", rowsPerTransaction)
                .put("rounds", rounds)
                .put("rawSeconds", median.rawSeconds)
                .put("rawAgainSeconds", median.rawAgainSeconds)
                .put("mergedSeconds", median.mergedSeconds)
                .put("writtenSeconds", median.writtenSeconds)
                .put("ratio", ratio(median));
        mapper.writerWithDefaultPrettyPrinter().writeValue(json.toFile(), root);
    }
}
