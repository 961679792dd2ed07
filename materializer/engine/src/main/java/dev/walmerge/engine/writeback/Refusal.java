package dev.walmerge.engine.writeback;

import java.sql.SQLException;

/** Tells errors that are about the content of one document from all others. */
final class Refusal {
    private static final String QUERY_CANCELED = "57014";

    private Refusal() {}

    /**
     * Whether another document could have been written: data exceptions (22), limits (54), memory for one value (53200,
     * XX000), and statement timeouts, which a large document may hit each time.
     */
    static boolean isRefusal(SQLException e) {
        String state = e.getSQLState();
        return state != null
                && (state.startsWith("22")
                        || state.startsWith("54")
                        || state.equals("53200")
                        || state.equals("XX000")
                        || state.equals(QUERY_CANCELED));
    }

    static boolean isTransient(SQLException e) {
        return QUERY_CANCELED.equals(e.getSQLState()) || "53200".equals(e.getSQLState());
    }

    /** In our own words: Postgres quotes content in its messages. */
    static String describe(SQLException e, String other) {
        String state = e.getSQLState();
        String what = switch (state) {
            case "22P05", "22021" -> "a character Postgres can't store";
            case "22P02", "22003", "22023" -> "a value Postgres can't store";
            case "54000", "53200", "XX000" -> "larger than Postgres can store";
            case "54001" -> "nested deeper than Postgres can store";
            case QUERY_CANCELED -> "the statement was canceled or timed out";
            default -> "Postgres refused it";
        };
        String error = DocumentSql.PROJECTION_ERROR + " " + state + ": " + what;
        return other == null ? error : error + "; " + other;
    }
}
