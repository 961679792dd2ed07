package dev.walmerge.sidecar.migrate;

import dev.walmerge.sidecar.migrate.MigrationException.Code;
import dev.walmerge.sql.Migration;
import dev.walmerge.sql.Migrations;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Brings the schema {@code crdt} of a database up to the migrations of this build, one transaction a migration. Any
 * number may run at once on one database: one applies each migration, the others wait for it and go on.
 *
 * <p>A connection that is given must not be inside a transaction; it is left in autocommit mode. Not thread-safe.
 */
public final class Migrator {
    /** A lost race: unique violation, duplicate schema, table, object; deadlock, serialization failure. */
    private static final Set<String> COLLISION = Set.of("23505", "42P06", "42P07", "42710", "40P01", "40001");

    private static final String NOT_PERMITTED = "42501";

    /** A race is lost at most once a migration, unless the winner rolls back. */
    private static final int MAX_ATTEMPTS = 20;

    private Migrator() {}

    /**
     * Applies what is pending.
     *
     * @return the migrations that this call applied, in order; empty when the schema was up to date
     * @throws MigrationException when an operator must do something first; what was applied until then stays
     */
    public static List<Migration> apply(Connection connection) throws SQLException, MigrationException {
        List<Migration> done = new ArrayList<>();
        int attempts = 0;
        while (true) {
            List<Migration> pending = pending(connection);
            if (pending.isEmpty()) {
                return List.copyOf(done);
            }
            Migration next = pending.get(0);
            try {
                run(connection, next);
                done.add(next);
                attempts = 0;
            } catch (SQLException e) {
                attempts++;
                if (!COLLISION.contains(String.valueOf(e.getSQLState())) || attempts == MAX_ATTEMPTS) {
                    throw explained(e, next);
                }
            }
        }
    }

    /**
     * What {@link #apply} would apply, in order. Changes nothing; needs only to read {@code crdt.migration}.
     *
     * @throws MigrationException when what was applied is not what this build carries
     */
    public static List<Migration> pending(Connection connection) throws SQLException, MigrationException {
        List<Migration> known = Migrations.all();
        int applied = 0;
        try (Statement statement = connection.createStatement()) {
            if (!recorded(statement)) {
                return known;
            }
            try (ResultSet row =
                    statement.executeQuery("select version, checksum from crdt.migration order by version")) {
                while (row.next()) {
                    int version = row.getInt(1);
                    if (version > known.size()) {
                        throw new MigrationException(
                                Code.SCHEMA_NEWER,
                                "the schema crdt has migration " + version + ", this walmerge knows " + known.size()
                                        + ": run a walmerge that is at least as new as the one that migrated it");
                    }
                    if (version != applied + 1 || !known.get(applied).checksum().equals(row.getString(2))) {
                        throw new MigrationException(
                                Code.SCHEMA_DIFFERS,
                                "the schema crdt was made by another build: migration " + (applied + 1)
                                        + " is not the one that this walmerge carries");
                    }
                    applied = version;
                }
            }
        }
        return known.subList(applied, known.size());
    }

    private static boolean recorded(Statement statement) throws SQLException, MigrationException {
        // The catalog, not to_regclass: that one raises without USAGE on the schema.
        String query = "select exists (select from pg_catalog.pg_namespace where nspname = 'crdt'), exists ("
                + "select from pg_catalog.pg_class where relname = 'migration' and relnamespace = ("
                + "select oid from pg_catalog.pg_namespace where nspname = 'crdt'))";
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            if (row.getBoolean(1) && !row.getBoolean(2)) {
                throw new MigrationException(
                        Code.SCHEMA_FOREIGN,
                        "there is a schema crdt that walmerge did not make: rename or drop it, or use another database");
            }
            return row.getBoolean(2);
        }
    }

    private static void run(Connection connection, Migration migration) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            // Views and defaults are parsed now: nothing of the session's path may get into them.
            statement.execute("set local search_path = pg_catalog, pg_temp");
            statement.execute(migration.script());
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static SQLException explained(SQLException e, Migration migration) throws MigrationException {
        if (NOT_PERMITTED.equals(e.getSQLState())) {
            ServerErrorMessage server = e instanceof PSQLException known ? known.getServerErrorMessage() : null;
            String hint = server == null || server.getHint() == null
                    ? "the installing role needs CREATE on the database and CREATEROLE, or the owner of the schema crdt"
                    : server.getHint();
            String what = server == null ? e.getMessage() : server.getMessage();
            throw new MigrationException(
                    Code.NOT_PERMITTED, "migration " + migration.version() + ": " + what + " (" + hint + ")", e);
        }
        return e;
    }
}
