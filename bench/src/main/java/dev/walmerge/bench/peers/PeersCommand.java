package dev.walmerge.bench.peers;

import dev.walmerge.bench.measure.Machine;
import dev.walmerge.bench.peers.Histories.History;
import dev.walmerge.sidecar.ExitCode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ops/walmerge bench peers}: the core beside other engines, on the same machine in the same run. */
@Command(
        name = "peers",
        mixinStandardHelpOptions = true,
        description = "The core beside yjs, ywasm, loro, automerge, json-joy and diamond-types (needs node and npm).")
public final class PeersCommand implements Callable<Integer> {
    private static final String SCENARIOS = "scenarios";

    /** Of the histories that aren't the longest. */
    private static final Set<Row> FEW_ROWS =
            EnumSet.of(Row.APPLY_SINGLE, Row.APPLY_SINGLE_FIRST, Row.REPLAY_LOCAL, Row.REPLAY_LOCAL_FIRST);

    private static final int FEW_ROUNDS = 3;

    @Option(
            names = "--only",
            paramLabel = "ROW",
            arity = "1..*",
            description = "rows to measure, on every trace: apply-single, apply-batches, load-hot, load-first, encode,"
                    + " replay-local, memory, state-bytes, or scenarios for those of a JSON document")
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            arity = "1..*",
            description = "histories: NAME.json.gz as in editing-traces, NAME.updates[32]-v1.bin.gz as in bench/traces")
    private List<Path> traces = new ArrayList<>();

    @Option(
            names = "--traces",
            paramLabel = "FOLDER",
            arity = "1..*",
            description = "folders to look for the known histories in; those of bench/traces come on top")
    private List<Path> folders = new ArrayList<>();

    @Option(
            names = "--processes",
            paramLabel = "N",
            defaultValue = "5",
            description = "processes per figure (default: ${DEFAULT-VALUE}); of shorter histories and of scenarios at"
                    + " most " + FEW_ROUNDS)
    private int processes;

    @Option(names = "--quick", description = "one process a figure, hardly warmed up: does it run, not how fast it is")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "write the result there too")
    private Path json;

    private final PrintStream out = System.out;
    private final Figures figures = new Figures();
    private final Progress progress = new Progress();

    /** A history and what is shown of it. */
    private record Shown(TraceFiles trace, History history, Set<Row> rows) {}

    @Override
    public Integer call() throws Exception {
        try {
            return measure();
        } catch (PeersException e) {
            System.err.println("walmerge: " + e.getMessage());
            return ExitCode.OPERATOR;
        }
    }

    private int measure() throws IOException, PeersException {
        List<String> known = new ArrayList<>(Row.labels());
        known.add(SCENARIOS);
        if (!known.containsAll(only) || processes < 1) {
            System.err.println("walmerge: --only takes " + String.join(", ", known) + "; --processes at least 1");
            return ExitCode.USAGE;
        }
        Path bench = Path.of(System.getProperty("walmerge.home", "."), "bench").toAbsolutePath();
        Packages packages =
                Packages.install(bench.resolve("peers"), bench.resolve("target").resolve("peers"));
        int rounds = quick ? 1 : processes;
        Map<String, String> facts = facts(packages);
        facts.put("processes", Integer.toString(rounds));
        // Those that measure end with this one.
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly)));
        List<Shown> shown = measureTraces(packages, bench, rounds);
        boolean withScenarios = only.isEmpty() || only.contains(SCENARIOS);
        if (withScenarios) {
            Scenarios.run(packages, figures, progress, quick, Math.min(rounds, FEW_ROUNDS));
        }
        facts.put("took", progress.elapsed() + " (" + progress.byEngine() + ")");
        print(facts, shown, withScenarios);
        if (json != null) {
            new Report(facts).write(figures, json);
        }
        return figures.reasons().values().stream().anyMatch(reason -> reason.startsWith("failed"))
                ? ExitCode.CHECK_FAILED
                : ExitCode.OK;
    }

    private List<Shown> measureTraces(Packages packages, Path bench, int rounds) throws IOException, PeersException {
        Set<Row> rows = EnumSet.allOf(Row.class);
        if (!only.isEmpty()) {
            rows.removeIf(row -> !only.contains(row.label()));
        }
        List<Shown> shown = new ArrayList<>();
        if (rows.isEmpty()) {
            return shown;
        }
        Comparison comparison = new Comparison(packages, figures, progress, quick);
        Map<TraceFiles, History> histories = new LinkedHashMap<>();
        TraceFiles longest = null;
        for (TraceFiles trace : find(bench)) {
            History history = comparison.history(trace);
            histories.put(trace, history);
            if (longest == null || history.updates() > histories.get(longest).updates()) {
                longest = trace;
            }
        }
        for (Map.Entry<TraceFiles, History> entry : histories.entrySet()) {
            boolean isMain = entry.getKey().equals(longest);
            Set<Row> wanted = isMain || !only.isEmpty() ? rows : FEW_ROWS;
            comparison.plan(entry.getKey(), wanted, isMain ? rounds : Math.min(rounds, FEW_ROUNDS));
            shown.add(isMain ? 0 : shown.size(), new Shown(entry.getKey(), entry.getValue(), wanted));
        }
        comparison.run();
        return shown;
    }

    /** Files that were named count first; bench/traces has no part when only files are named. */
    private List<TraceFiles> find(Path bench) throws IOException, PeersException {
        List<Path> places = new ArrayList<>(folders);
        if (traces.isEmpty() || !folders.isEmpty()) {
            places.add(bench.resolve("traces"));
        }
        List<TraceFiles> found = TraceFiles.find(traces, places);
        if (found.isEmpty()) {
            throw new PeersException("no histories in what was given");
        }
        return found;
    }

    private static Map<String, String> facts(Packages packages) throws IOException {
        Map<String, String> facts = Machine.describe();
        facts.put("node", packages.nodeVersion());
        for (Engine engine : Engine.values()) {
            if (engine.npmPackage() != null) {
                facts.put(engine.npmPackage(), packages.versionOf(engine));
            }
        }
        return facts;
    }

    private void print(Map<String, String> facts, List<Shown> shown, boolean withScenarios) {
        facts.forEach((name, value) -> out.printf("- %s %s%n", name, value));
        out.println();
        Tables tables = new Tables(figures);
        for (Shown each : shown) {
            out.println(tables.ofTrace(each.trace.name(), each.history.updates(), each.rows));
        }
        if (withScenarios) {
            for (int items : Scenarios.ITEMS) {
                out.println(tables.ofScenarios(items));
            }
        }
        out.println(tables.notes());
    }
}
