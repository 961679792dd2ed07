package dev.walmerge.engine.writeback;

import java.sql.SQLException;

/** Tells errors that are about one document from those of the server and the connection. */
final class Refusal {
    /** Our own: a tail row for a document without a ydoc row. */
    static final String NO_STATE = "P0002";

    private static final String QUERY_CANCELED = "57014";
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String OUT_OF_MEMORY = "53200";
    private static final String IO_ERROR = "58030";

    private Refusal() {}

    /**
     * Whether another document could perhaps be written. Not so when the connection is lost or can't be used (08, 25,
     * 26), when the server lacks resources (53), is read-only, stops, or has trouble of its own (57, 58, F0).
     */
    static boolean isOfDocument(SQLException e) {
        String state = e.getSQLState();
        if (state == null || state.length() != 5) {
            return false;
        }
        return switch (state) {
            case QUERY_CANCELED, OUT_OF_MEMORY, IO_ERROR -> true;
            default ->
                switch (state.substring(0, 2)) {
                    case "08", "25", "26", "53", "57", "58", "F0" -> false;
                    default -> true;
                };
        };
    }

    /** Whether the same transaction may well go through at once: no document is blamed before that was tried. */
    static boolean isPassing(SQLException e) {
        return switch (e.getSQLState()) {
            case "40001", "40P01", OUT_OF_MEMORY, IO_ERROR -> true;
            default -> false;
        };
    }

    static boolean isDear(String sqlState) {
        return sqlState.equals(QUERY_CANCELED) || sqlState.equals(LOCK_NOT_AVAILABLE);
    }

    /** In our own words: Postgres quotes content in its messages. */
    static String describe(SQLException e) {
        String state = e.getSQLState();
        String what = switch (state) {
            case "22P05", "22021" -> "a character Postgres can't store";
            case "22P02", "22003", "22023" -> "a value Postgres can't store";
            case "54000", OUT_OF_MEMORY, "XX000" -> "larger than Postgres can store";
            case "54001" -> "nested deeper than Postgres can store";
            case QUERY_CANCELED -> "the statement was canceled or timed out";
            case LOCK_NOT_AVAILABLE -> "another session has it locked";
            case "40001", "40P01" -> "another session changes it all the time";
            case "42501" -> "a grant is missing";
            case "42P01" -> "a table is missing";
            case "P0001" -> "a trigger raised an error";
            case NO_STATE -> "its ydoc row is gone";
            case IO_ERROR, "XX001", "XX002" -> "its pages on disk can't be read";
            default -> state.startsWith("23") ? "a constraint refuses it" : "Postgres refused it";
        };
        return state + ": " + what;
    }
}
