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
    private final List<Task> tasks = new ArrayList<>();

    Comparison(Packages packages, Figures figures) {
        this.packages = packages;
        this.histories = new Histories(packages);
        this.figures = figures;
    }

    /** The history that yjs wrote: it says what kind of trace it is. */
    History history(TraceFiles trace) throws IOException, PeersException {
        return histories.of(trace, Engine.YJS);
    }

    /** Plans rows of one trace. */
    void plan(TraceFiles trace, Set<Row> rows, int rounds) throws IOException, PeersException {
        boolean isConcurrent = history(trace).isConcurrent();
        for (Engine engine : Engine.values()) {
            Set<Row> fitting = EnumSet.copyOf(rows);
            if (isConcurrent) {
                fitting.remove(Row.REPLAY_LOCAL);
            }
            if (isConcurrent && !engine.readsYjs() && fitting.remove(Row.APPLY_BATCHES)) {
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
                    Progress.show(round, rounds, task.engine.label() + " " + task.trace.name());
                    measure(task, wanted);
                }
            }
        }
        Progress.clear();
    }

    private void measure(Task task, List<Row> rows) throws IOException {
        List<String> command = command(task, rows);
        if (command == null) {
            none(task.engine, task.trace, Set.copyOf(rows), "not built yet");
            return;
        }
        Child child = Child.run(packages.folder(), command);
        for (JsonNode line : child.lines()) {
            figures.add(line);
        }
        if (child.failure() != null) {
            none(task.engine, task.trace, Set.copyOf(rows), "failed: " + child.failure());
        }
    }

    /** Null when there is nothing to run yet. */
    private List<String> command(Task task, List<Row> rows) {
        String labels =
                String.join(",", rows.stream().map(Row::label).distinct().toList());
        String history = task.history.folder().toString();
        if (task.engine == Engine.WALMERGE) {
            return task.group == Row.Group.LOCAL
                    ? OurSide.replay(task.trace)
                    : OurSide.rows(history, groupName(task), task.trace.name(), labels);
        }
        List<String> script = new ArrayList<>(
                List.of("measure.mjs", task.engine.label(), history, groupName(task), task.trace.name(), labels));
        if (task.trace.raw() != null) {
            script.add(task.trace.raw().toString());
        }
        return packages.command(script);
    }

    private static String groupName(Task task) {
        return switch (task.group) {
            case APPLY -> "apply";
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
