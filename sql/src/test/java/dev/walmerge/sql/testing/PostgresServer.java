package dev.walmerge.sql.testing;

import dev.walmerge.sql.Migration;
import dev.walmerge.sql.Migrations;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real Postgres for tests: one server a JVM, started at the first use and stopped with the JVM, and a fresh database
 * for each test. Thread-safe.
 *
 * <p>The server runs with {@code wal_level=logical}, fsync and synchronous commit on: with commit off, a commit reaches
 * a slot 120 ms late, or not before something else is written.
 */
public final class PostgresServer {
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static PostgresServer shared;

    private final EmbeddedPostgres server;

    private PostgresServer(EmbeddedPostgres server) {
        this.server = server;
    }

    /** The server that all tests of this JVM share. */
    public static synchronized PostgresServer shared() {
        if (shared == null) {
            shared = start();
        }
        return shared;
    }

    /** A server of its own, for tests that stop or kill it; the caller closes {@link #process()}. */
    public static PostgresServer start() {
        return new PostgresServer(open(null));
    }

    /** A server on a data directory that outlives it, for tests that restart it. */
    public static PostgresServer start(Path dataDirectory) {
        return new PostgresServer(open(dataDirectory));
    }

    private static EmbeddedPostgres open(Path dataDirectory) {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setServerConfig("wal_level", "logical")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_wal_senders", "40")
                .setServerConfig("max_replication_slots", "40")
                .setServerConfig("max_prepared_transactions", "10")
                .setServerConfig("max_connections", "200");
        if (dataDirectory != null) {
            builder.setDataDirectory(dataDirectory).setCleanDataDirectory(false);
        }
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("the embedded Postgres did not start", e);
        }
    }

    public EmbeddedPostgres process() {
        return server;
    }

    /** A new, empty database whose owner is the superuser {@code postgres}. */
    public Database createDatabase() {
        String name = "t" + DATABASES.incrementAndGet() + "_" + Long.toString(System.nanoTime(), 36);
        try (Connection connection = DriverManager.getConnection(url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("create database", e);
        }
        return new Database(name, url(name));
    }

    /** A new database with every migration applied. */
    public Database createInstalledDatabase() {
        Database database = createDatabase();
        for (Migration migration : Migrations.all()) {
            try {
                database.execute(migration.script());
            } catch (SQLException e) {
                throw new IllegalStateException("migration " + migration.version(), e);
            }
        }
        return database;
    }

    private String url(String database) {
        return server.getJdbcUrl("postgres", database);
    }

    /**
     * One database of the server.
     *
     * @param url a JDBC URL that holds the user
     */
    public record Database(String name, String url) {
        public Connection connect() throws SQLException {
            return DriverManager.getConnection(url);
        }

        /** Runs SQL text that may hold several statements, in one transaction. */
        public void execute(String sql) throws SQLException {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }
    }
}
