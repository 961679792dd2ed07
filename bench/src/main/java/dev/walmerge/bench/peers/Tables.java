package dev.walmerge.bench.peers;

import dev.walmerge.bench.peers.Figures.Figure;
import dev.walmerge.bench.peers.Figures.FigureKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What was measured, for people: peers first, ours last, then ours as a part of the best peer's. */
final class Tables {
    private static final String NONE = "-";
    private static final String SINGLE_PASS = " *";
    private static final double NO_DECIMALS_FROM = 100;
    private static final double ONE_DECIMAL_FROM = 10;

    private final Figures figures;
    /** Reasons for "-", numbered as they are met. */
    private final Map<String, List<String>> reasons = new LinkedHashMap<>();

    private boolean hasSinglePass;

    Tables(Figures figures) {
        this.figures = figures;
    }

    String ofTrace(String trace, int updates, Set<Row> rows) {
        MarkdownTable table = new MarkdownTable();
        List<String> head = new ArrayList<>(List.of(trace));
        for (Engine engine : Engine.values()) {
            head.add(engine.label());
        }
        head.add("to the best peer");
        table.add(head);
        for (Row row : rows) {
            List<String> cells = new ArrayList<>(List.of(row.title(updates)));
            double best = Double.POSITIVE_INFINITY;
            double ours = Double.NaN;
            for (Engine engine : Engine.values()) {
                FigureKey key = row.keyOf(engine, trace);
                Figure figure = figures.figure(key);
                cells.add(cell(key, figure));
                if (figure != null && engine == Engine.WALMERGE) {
                    ours = figure.median();
                } else if (figure != null) {
                    best = Math.min(best, figure.median());
                }
            }
            cells.add(ratio(ours, best));
            if (cells.stream().skip(1).anyMatch(cell -> !cell.equals(NONE))) {
                table.add(cells);
            }
        }
        return table.toString();
    }

    /** Microseconds, and the bytes of what was written. */
    String ofScenarios(int items) {
        MarkdownTable table = new MarkdownTable();
        List<String> head = new ArrayList<>(List.of(String.format(Locale.ROOT, "%,d items, us (bytes)", items)));
        head.addAll(Scenarios.ENGINES);
        head.addAll(List.of("V2 to yjs-v2", "V2 to the best peer"));
        table.add(head);
        for (String scenario : Scenarios.NAMES) {
            List<String> cells = new ArrayList<>(List.of(scenario));
            double best = Double.POSITIVE_INFINITY;
            for (String engine : Scenarios.ENGINES) {
                FigureKey key = Scenarios.keyOf(engine, items, scenario);
                Figure figure = figures.figure(key);
                String cell = cell(key, figure);
                cells.add(figure == null || figure.bytes() == null ? cell : cell + bytes(figure));
                if (figure != null && !engine.startsWith(Engine.WALMERGE.label())) {
                    best = Math.min(best, figure.median());
                }
            }
            double ours = medianOf("walmerge-v2", items, scenario);
            cells.add(ratio(ours, medianOf("yjs-v2", items, scenario)));
            cells.add(ratio(ours, best));
            table.add(cells);
        }
        return table.toString();
    }

    /** What the signs in the tables mean; to be asked for after them. */
    String notes() {
        StringBuilder out = new StringBuilder();
        if (hasSinglePass) {
            out.append("\\* one pass of one process, not warmed up: a pass takes seconds\n\n");
        }
        reasons.forEach((reason, who) -> out.append("- no figure, ")
                .append(reason)
                .append(": ")
                .append(String.join("; ", who))
                .append('\n'));
        return out.toString();
    }

    private double medianOf(String engine, int items, String scenario) {
        Figure figure = figures.figure(Scenarios.keyOf(engine, items, scenario));
        return figure == null ? Double.NaN : figure.median();
    }

    private String cell(FigureKey key, Figure figure) {
        if (figure == null) {
            String reason = figures.reasonFor(key);
            if (reason != null) {
                List<String> who = reasons.computeIfAbsent(reason, unused -> new ArrayList<>());
                String name = key.engine() + " " + key.subject() + " " + key.row();
                if (!who.contains(name)) {
                    who.add(name);
                }
            }
            return NONE;
        }
        hasSinglePass |= figure.isSinglePass();
        return number(figure.median()) + (figure.isSinglePass() ? SINGLE_PASS : "");
    }

    private static String bytes(Figure figure) {
        return String.format(Locale.ROOT, " (%,d)", figure.bytes());
    }

    private static String ratio(double ours, double best) {
        return Double.isNaN(ours) || Double.isNaN(best) || Double.isInfinite(best)
                ? NONE
                : String.format(Locale.ROOT, "%.2f", ours / best);
    }

    private static String number(double value) {
        int decimals = value >= NO_DECIMALS_FROM ? 0 : value >= ONE_DECIMAL_FROM ? 1 : 2;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
