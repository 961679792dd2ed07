package dev.walmerge.sql;

import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** One connection that speaks plain SQL and reads everything as text. */
final class Session implements AutoCloseable {
    private final Connection connection;

    Session(Database database) throws SQLException {
        connection = DriverManager.getConnection(database.url());
    }

    /** A session whose rights are those of one role, and of no superuser. */
    static Session as(Database database, String role) throws SQLException {
        Session session = new Session(database);
        session.run("set session authorization " + role);
        return session;
    }

    Connection connection() {
        return connection;
    }

    void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The rows of a query, columns joined by {@code |}, null as nothing. */
    List<String> rows(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            List<String> rows = new ArrayList<>();
            int columns = row.getMetaData().getColumnCount();
            while (row.next()) {
                StringBuilder line = new StringBuilder();
                for (int column = 1; column <= columns; column++) {
                    String value = row.getString(column);
                    line.append(column == 1 ? "" : "|").append(value == null ? "" : value);
                }
                rows.add(line.toString());
            }
            return rows;
        }
    }

    /** The only column of the only row. */
    String value(String query) throws SQLException {
        List<String> rows = rows(query);
        if (rows.size() != 1) {
            throw new IllegalStateException(rows.size() + " rows");
        }
        return rows.get(0);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
