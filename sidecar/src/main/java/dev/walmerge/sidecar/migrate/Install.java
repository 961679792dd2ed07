package dev.walmerge.sidecar.migrate;

import dev.walmerge.sidecar.migrate.MigrationException.Code;
import dev.walmerge.sql.Migration;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code walmerge init} does: the schema, the roles, the publication, and a check of what the sidecar's role and
 * the server still lack. Idempotent; the role that runs it needs CREATE on the database and CREATEROLE, not superuser.
 *
 * <p>Not thread-safe; any number of processes may run it at once on one database.
 */
public final class Install {
    private static final int OLDEST_SERVER = 15;
    private static final String NOT_PERMITTED = "42501";

    private final Connection connection;
    private final PrintWriter out;

    /**
     * @param connection not inside a transaction; the caller closes it
     * @param out where the report goes, or the SQL of a dry run; flushed at the end, never closed
     */
    public Install(Connection connection, PrintWriter out) {
        this.connection = connection;
        this.out = out;
    }

    /**
     * What came of it.
     *
     * @param applied the migrations that were applied by this call
     * @param left what somebody must still do before the sidecar can run, one sentence each; empty when it can
     */
    public record Report(List<Migration> applied, List<String> left) {}

    /**
     * Installs, and prints what it did and what is left to do.
     *
     * @param sidecarRole the role that the sidecar will log in as, or null to leave roles alone
     * @throws MigrationException when an operator must do something first
     */
    public Report run(String sidecarRole) throws SQLException, MigrationException {
        checkServer();
        List<Migration> applied = Migrator.apply(connection);
        for (Migration migration : applied) {
            out.println("applied migration " + migration.version() + " (" + migration.name() + ")");
        }
        if (applied.isEmpty()) {
            out.println("the schema crdt is up to date");
        }
        mendPublication();
        List<String> left = new ArrayList<>();
        checkWalLevel(left);
        if (sidecarRole == null) {
            out.println(
                    "the sidecar's role needs: grant crdt_sidecar to it, and REPLICATION (--sidecar-role NAME checks)");
        } else if (!exists(sidecarRole)) {
            String quoted = quoted(sidecarRole);
            left.add("create the role: create role " + quoted
                    + " login replication password '...'; then run this again");
        } else {
            membership(sidecarRole, left);
            replication(sidecarRole, left);
        }
        if (left.isEmpty()) {
            out.println("ready: ops/walmerge run --url ...");
        } else {
            out.println("left to do:");
            left.forEach(line -> out.println(line.startsWith(" ") ? "    " + line.strip() : "- " + line));
        }
        out.flush();
        return new Report(applied, List.copyOf(left));
    }

    /**
     * Prints the SQL that {@link #run} would execute, and what it would leave to somebody with more rights, as a script for
     * psql; changes nothing.
     */
    public void dryRun(String sidecarRole) throws SQLException, MigrationException {
        checkServer();
        List<Migration> pending = Migrator.pending(connection);
        String database = quoted(scalar("select current_database()", null));
        out.println(
                "-- walmerge in the database " + database + "; run it with psql -v ON_ERROR_STOP=1, as a role with");
        out.println("-- CREATE on the database and CREATEROLE. The last part, if there is one, may take a superuser.");
        out.println();
        for (Migration migration : pending) {
            out.println("-- migration " + migration.version() + " (" + migration.name() + ")");
            out.println("begin;");
            out.println("set local search_path = pg_catalog, pg_temp;");
            out.print(migration.script());
            out.println("commit;");
            out.println();
        }
        if (pending.isEmpty()) {
            out.println("-- the schema crdt is up to date");
            Publication.mending(connection).forEach(statement -> out.println(statement + ";"));
        }
        List<String> left = new ArrayList<>();
        checkWalLevel(left);
        left.forEach(line -> out.println("-- " + line));
        if (sidecarRole != null) {
            dryRunRole(quoted(sidecarRole), exists(sidecarRole));
        }
        out.flush();
    }

    private void dryRunRole(String role, boolean exists) {
        if (!exists) {
            out.println("create role " + role + " login; -- and give it a password");
        }
        out.println("grant crdt_sidecar to " + role + ";");
        out.println("-- by a superuser or the provider's admin; on RDS and Aurora instead: grant rds_replication to "
                + role);
        out.println("alter role " + role + " replication;");
    }

    private boolean exists(String role) throws SQLException {
        return scalar("select exists (select from pg_catalog.pg_roles where rolname = ?)", role)
                .equals("t");
    }

    private void checkServer() throws SQLException, MigrationException {
        int major = connection.getMetaData().getDatabaseMajorVersion();
        if (major < OLDEST_SERVER) {
            throw new MigrationException(
                    Code.SERVER_TOO_OLD, "this server is Postgres " + major + ", walmerge needs " + OLDEST_SERVER);
        }
    }

    private void mendPublication() throws SQLException {
        List<String> mending = Publication.mending(connection);
        boolean isThere = Publication.isThere(connection);
        for (String statement : mending) {
            try (Statement mend = connection.createStatement()) {
                mend.execute(statement);
            }
        }
        if (!mending.isEmpty()) {
            out.println(isThere ? "mended the publication walmerge" : "made the publication walmerge again");
        }
    }

    private void checkWalLevel(List<String> left) throws SQLException {
        String level = scalar("select current_setting('wal_level')", null);
        if (!level.equals("logical")) {
            left.add("wal_level is " + level
                    + ", it must be logical, and the server restarted. Own server: alter system set"
                    + " wal_level = logical. RDS, Aurora: rds.logical_replication = 1 in the parameter group. Cloud SQL:"
                    + " the flag cloudsql.logical_decoding = on. Supabase: it is. Neon: Logical Replication in the"
                    + " project's settings");
        }
    }

    private void membership(String role, List<String> left) throws SQLException {
        if (scalar("select pg_has_role(?, 'crdt_sidecar', 'usage')", role).equals("t")) {
            return;
        }
        String grant = "grant crdt_sidecar to " + quoted(role);
        try (Statement statement = connection.createStatement()) {
            statement.execute(grant);
            out.println(grant);
        } catch (SQLException e) {
            if (!NOT_PERMITTED.equals(e.getSQLState())) {
                throw e;
            }
            // 16 and later: the roles were made by somebody else, through another database of this cluster.
            left.add("a superuser, or who has ADMIN on the role crdt_sidecar, must run: " + grant + ";");
            return;
        }
        if (!scalar("select pg_has_role(?, 'crdt_sidecar', 'usage')", role).equals("t")) {
            left.add("the role does not inherit: alter role " + quoted(role) + " inherit; then run this again");
        }
    }

    private void replication(String role, List<String> left) throws SQLException {
        String may = "select rolreplication or rolsuper or coalesce((select pg_has_role(r.oid, p.oid, 'usage')"
                + " from pg_catalog.pg_roles p where p.rolname = 'rds_replication'), false)"
                + " from pg_catalog.pg_roles r where r.rolname = ?";
        if (scalar(may, role).equals("t")) {
            return;
        }
        String quoted = quoted(role);
        left.add("a superuser or the provider's admin must run: alter role " + quoted + " replication;");
        left.add("  RDS, Aurora: grant rds_replication to " + quoted + "; instead");
        left.add("  Cloud SQL: the same, as the user postgres");
        left.add("  Supabase: the same, as postgres, in the SQL editor");
        left.add("  Neon: take a role made in the console, API or CLI instead, it has REPLICATION");
    }

    private String quoted(String identifier) throws SQLException {
        return scalar("select quote_ident(?)", identifier);
    }

    private String scalar(String query, String argument) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            if (argument != null) {
                statement.setString(1, argument);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
