package dev.walmerge.bench.demo;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A result as psql would show it. */
final class TextTable {
    private static final int WIDEST_COLUMN = 72;

    private final List<String[]> rows = new ArrayList<>();
    private final int[] widths;
    private final boolean[] rightAligned;

    private TextTable(int columns) {
        widths = new int[columns];
        rightAligned = new boolean[columns];
    }

    /** Reads a result to its end. */
    static String render(ResultSet result) throws SQLException {
        ResultSetMetaData columns = result.getMetaData();
        TextTable table = new TextTable(columns.getColumnCount());
        String[] names = new String[columns.getColumnCount()];
        for (int i = 0; i < names.length; i++) {
            names[i] = columns.getColumnLabel(i + 1);
            table.rightAligned[i] = columns.getColumnTypeName(i + 1).matches("int[248]|float[48]|numeric");
        }
        table.add(names);
        while (result.next()) {
            String[] cells = new String[names.length];
            for (int i = 0; i < cells.length; i++) {
                cells[i] = shown(result.getString(i + 1));
            }
            table.add(cells);
        }
        return table.render();
    }

    private void add(String[] cells) {
        for (int i = 0; i < cells.length; i++) {
            widths[i] = Math.max(widths[i], cells[i].length());
        }
        rows.add(cells);
    }

    private String render() {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            StringBuilder line = new StringBuilder();
            for (int j = 0; j < widths.length; j++) {
                String cell = rows.get(i)[j];
                String padding = " ".repeat(widths[j] - cell.length());
                line.append(j == 0 ? " " : " | ").append(i > 0 && rightAligned[j] ? padding + cell : cell + padding);
            }
            out.append(line.toString().stripTrailing()).append('\n');
            if (i == 0) {
                for (int j = 0; j < widths.length; j++) {
                    out.append(j == 0 ? "" : "+").append("-".repeat(widths[j] + 2));
                }
                out.append('\n');
            }
        }
        int count = rows.size() - 1;
        return out.append('(')
                .append(count)
                .append(count == 1 ? " row)" : " rows)")
                .append('\n')
                .toString();
    }

    private static String shown(String value) {
        if (value == null) {
            return "";
        }
        String line = value.replaceAll("\\s+", " ");
        return line.length() <= WIDEST_COLUMN ? line : line.substring(0, WIDEST_COLUMN - 3) + "...";
    }
}
