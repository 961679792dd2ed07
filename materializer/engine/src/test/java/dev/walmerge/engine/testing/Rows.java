package dev.walmerge.engine.testing;

import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Reads one value as a superuser, for assertions. */
public final class Rows {
    private Rows() {}

    /** The first column of the first row as text; null when it is null. */
    public static String one(PostgresServer.Database database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            if (!row.next()) {
                throw new AssertionError("no row: " + sql);
            }
            return row.getString(1);
        }
    }
}
