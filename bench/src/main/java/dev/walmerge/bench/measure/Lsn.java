package dev.walmerge.bench.measure;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Positions in the WAL, as unsigned 64-bit numbers. */
public final class Lsn {
    private Lsn() {}

    public static long parse(String text) {
        int slash = text.indexOf('/');
        return (Long.parseLong(text, 0, slash, 16) << 32) | Long.parseLong(text, slash + 1, text.length(), 16);
    }

    /** Where the server's next record goes. */
    public static long current(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_current_wal_insert_lsn()::text")) {
            row.next();
            return parse(row.getString(1));
        }
    }
}
