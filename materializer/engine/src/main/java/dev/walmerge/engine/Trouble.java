package dev.walmerge.engine;

import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/**
 * What Postgres refuses again and again, so that nothing goes on before it does not any more.
 *
 * @param doing what was tried, as a noun
 * @param refusal the last one
 * @param sinceNanos when the first try failed, as {@link System#nanoTime} tells it
 */
public record Trouble(String doing, SQLException refusal, long sinceNanos) {
    /** The one that lasts longer; either may be null. */
    static Trouble longer(Trouble one, Trouble other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.sinceNanos - other.sinceNanos <= 0 ? one : other;
    }

    /**
     * The SQLSTATE and, where it names nothing but tables and rights, the server's words: others may quote content.
     */
    public String describe() {
        return describe(refusal);
    }

    /** See {@link #describe()}. */
    public static String describe(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        String words = state.startsWith("42") ? serversWords(e) : null;
        return "SQLSTATE " + state + (words == null ? "" : " (" + words + ")");
    }

    /** Not what the driver makes of them: of a batch it quotes the statement, with its values. */
    private static String serversWords(SQLException e) {
        for (Throwable each = e; each != null; each = each.getCause()) {
            if (each instanceof PSQLException refusal && refusal.getServerErrorMessage() != null) {
                return refusal.getServerErrorMessage().getMessage();
            }
        }
        return null;
    }
}
