package dev.walmerge.bench.peers;

import java.util.ArrayList;
import java.util.List;

/** A table that reads well in a terminal too: the first column to the left, the others to the right. */
final class MarkdownTable {
    private final List<List<String>> rows = new ArrayList<>();

    void add(List<String> cells) {
        rows.add(List.copyOf(cells));
    }

    @Override
    public String toString() {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder out = new StringBuilder();
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                String padding = " ".repeat(widths[i] - row.get(i).length());
                out.append("| ")
                        .append(i == 0 ? row.get(i) + padding : padding + row.get(i))
                        .append(' ');
            }
            out.append("|\n");
            if (row.equals(rows.get(0))) {
                for (int i = 0; i < widths.length; i++) {
                    out.append(i == 0 ? "|" + "-".repeat(widths[i] + 2) : "|" + "-".repeat(widths[i] + 1) + ":");
                }
                out.append("|\n");
            }
        }
        return out.toString();
    }
}
