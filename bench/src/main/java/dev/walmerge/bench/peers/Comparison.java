package dev.walmerge.bench.peers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.walmerge.bench.peers.Histories.History;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Has the rows of the traces measured, each engine in processes of its own, the engines in turn. */
final class Comparison {
    private static final String NO_BATCHES = "several writers make no batches of their own";
    private static final String NO_RAW_TRACE = "needs the raw trace (--traces FOLDER)";

    /**
     * One process' worth of rows, done again in each round.
     *
     * @param rounds how many rounds measure it
     */
    private record Task(
            Engine engine, TraceFiles trace, History history, Row.Group group, List<Row> rows, int rounds) {}

    private final Packages packages;
    private final Histories histories;
    private final Figures figures;
    private final Progress progress;
    private final boolean quick;
    private final List<Task> tasks = new ArrayList<>();

    Comparison(Packages packages, Figures figures, Progress progress, boolean quick) {
        this.packages = packages;
        this.histories = new Histories(packages, progress);
        this.figures = figures;
        this.progress = progress;
        this.quick = quick;
    }

    /** The history that yjs wrote: it says what kind of trace it is. */
    History history(TraceFiles trace) throws IOException {
        return histories.of(trace, Engine.YJS);
    }

    /** Plans rows of one trace. */
    void plan(TraceFiles trace, Set<Row> rows, int rounds) throws IOException {
        boolean isConcurrent = history(trace).isConcurrent();
        for (Engine engine : Engine.values()) {
            Set<Row> fitting = EnumSet.copyOf(rows);
            if (isConcurrent) {
                fitting.removeIf(row -> row.group() == Row.Group.LOCAL);
            }
            if (isConcurrent
                    && !engine.readsYjs()
                    && fitting.removeIf(row -> row.group() == Row.Group.BATCHES)
                    && rows.contains(Row.APPLY_BATCHES)) {
                none(engine, trace, Set.of(Row.APPLY_BATCHES), NO_BATCHES);
            }
            if (!trace.serves(engine)) {
                none(engine, trace, fitting, NO_RAW_TRACE);
                continue;
            }
            History history = histories.of(trace, engine.historian());
            if (history.failure() != null) {
                none(engine, trace, fitting, history.failure());
                continue;
            }
            for (Row.Group group : Row.Group.values()) {
                plan(engine, trace, history, group, fitting, rounds);
            }
        }
    }

    private void plan(Engine engine, TraceFiles trace, History history, Row.Group group, Set<Row> rows, int rounds) {
        if (group == Row.Group.LOAD_V1 && !engine.readsYjs()) {
            return;
        }
        List<Row> ofGroup = rows.stream()
                .filter(row -> row.group() == group || isLoadOfTheOnlyFormat(engine, group, row))
                .toList();
        if (ofGroup.isEmpty()) {
            return;
        }
        if (group == Row.Group.LOCAL && trace.raw() == null) {
            none(engine, trace, Set.copyOf(ofGroup), NO_RAW_TRACE);
            return;
        }
        tasks.add(new Task(engine, trace, history, group, ofGroup, rounds));
    }

    /** An engine with one format of its own is measured once for both rows. */
    private static boolean isLoadOfTheOnlyFormat(Engine engine, Row.Group group, Row row) {
        return !engine.readsYjs() && group == Row.Group.LOAD_V2 && row.group() == Row.Group.LOAD_V1;
    }

    /** Every engine in turn, once a round: what the machine does beside falls on all of them. */
    void run() throws IOException {
        int rounds = tasks.stream().mapToInt(Task::rounds).max().orElse(0);
        for (int round = 0; round < rounds; round++) {
            for (Task task : tasks) {
                List<Row> wanted = task.rows.stream()
                        .filter(row -> !figures.isSettled(row.keyOf(task.engine, task.trace.name())))
                        .toList();
                if (round < task.rounds && !wanted.isEmpty()) {
                    String what = "round %d of %d, %s %s"
                            .formatted(round + 1, task.rounds, task.trace.name(), groupName(task));
                    progress.measure(task.engine.label(), what, () -> measure(task, wanted));
                }
            }
        }
    }

    /** Returns how it failed, if it did. */
    private String measure(Task task, List<Row> rows) throws IOException {
        Child child = Child.run(packages.folder(), command(task, rows));
        for (JsonNode line : child.lines()) {
            figures.add(line);
        }
        if (child.failure() != null) {
            none(task.engine, task.trace, Set.copyOf(rows), "failed: " + child.failure());
        }
        return child.failure();
    }

    private List<String> command(Task task, List<Row> rows) {
        String labels =
                String.join(",", rows.stream().map(Row::label).distinct().toList());
        List<String> arguments =
                new ArrayList<>(List.of(task.history.folder().toString(), groupName(task), task.trace.name(), labels));
        if (task.trace.raw() != null) {
            arguments.add(task.trace.raw().toString());
        }
        if (task.engine == Engine.WALMERGE) {
            return OurSide.rows(quick, arguments);
        }
        arguments.addAll(0, List.of("measure.mjs", task.engine.label()));
        return packages.command(quick, arguments);
    }

    private static String groupName(Task task) {
        return switch (task.group) {
            case SINGLE -> "single";
            case BATCHES -> "batches";
            case LOCAL -> "local";
            case LOAD_V1 -> "load-v1";
            case LOAD_V2 -> task.engine.readsYjs() ? "load-v2" : "load-own";
        };
    }

    private void none(Engine engine, TraceFiles trace, Set<Row> rows, String reason) {
        for (Row row : rows) {
            figures.reason(row.keyOf(engine, trace.name()), reason);
        }
    }
}
