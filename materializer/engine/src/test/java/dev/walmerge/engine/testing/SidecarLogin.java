package dev.walmerge.engine.testing;

import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Logs in as the sidecar does: with the grants of {@code crdt_sidecar} and no others. */
public final class SidecarLogin {
    private final String url;

    private SidecarLogin(String url) {
        this.url = url;
    }

    /** A new login role for one database. */
    public static SidecarLogin create(PostgresServer.Database database) {
        try {
            database.execute("create role " + database.name() + " login in role crdt_sidecar");
        } catch (SQLException e) {
            throw new IllegalStateException("create role", e);
        }
        return new SidecarLogin(database.url().replace("user=postgres", "user=" + database.name()));
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }
}
