package dev.walmerge.sidecar.migrate;

import dev.walmerge.sidecar.migrate.MigrationException.Code;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What {@code walmerge uninstall} does: drops the slots, the publication, the schema with every document in it, and those
 * of the four roles that nothing else in the server needs. The role that runs it owns the schema; dropping slots takes
 * REPLICATION, dropping roles CREATEROLE. Run again, it goes on where it failed.
 *
 * <p>Not thread-safe.
 */
public final class Uninstall {
    private static final List<String> ROLES = List.of("crdt_writer", "crdt_reader", "crdt_operator", "crdt_sidecar");
    private static final int LOCK_LOOKS = 100;
    private static final int SLOT_LOOKS = 100;
    private static final long LOOK_NANOS = 50_000_000;
    private static final String IN_USE = "55006";

    private final Connection connection;
    private final PrintWriter out;

    /**
     * @param connection not inside a transaction; the caller closes it
     * @param out where the report goes; flushed at the end, never closed
     */
    public Uninstall(Connection connection, PrintWriter out) {
        this.connection = connection;
        this.out = out;
    }

    /**
     * What may go with it.
     *
     * @param isConfirmed false only tells what would be done
     * @param isForced whether a sidecar that is running is ended
     * @param isCascading whether objects of the app that depend on the schema are dropped
     */
    public record Consent(boolean isConfirmed, boolean isForced, boolean isCascading) {}

    /**
     * Uninstalls, or tells what it would do.
     *
     * @return what is left that somebody else must drop, one sentence each
     * @throws MigrationException when an operator must do something first; nothing was changed then
     */
    public List<String> run(Consent consent) throws SQLException, MigrationException {
        List<String> left = new ArrayList<>();
        if (isInstalled()) {
            List<String> dependents = strings(UninstallSql.DEPENDENTS);
            if (!consent.isConfirmed) {
                tell(dependents);
                return List.of();
            }
            check(dependents, consent.isCascading);
            excludeSidecars(consent.isForced);
            dropSlots(consent.isForced);
            inTransaction(UninstallSql.DROP);
            out.println("dropped the schema crdt and the publication walmerge");
        } else {
            out.println("the schema crdt is not installed in this database");
        }
        if (consent.isConfirmed) {
            dropRoles(left);
        }
        left.forEach(line -> out.println("- left: " + line));
        out.flush();
        return List.copyOf(left);
    }

    private boolean isInstalled() throws SQLException, MigrationException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(UninstallSql.IS_INSTALLED)) {
            row.next();
            if (row.getBoolean(1) && !row.getBoolean(2)) {
                throw new MigrationException(Code.SCHEMA_FOREIGN, "there is a schema crdt that walmerge did not make");
            }
            return row.getBoolean(1);
        }
    }

    private void tell(List<String> dependents) throws SQLException {
        out.println("would drop " + strings(UninstallSql.DOCUMENTS).get(0) + " documents, with");
        for (String slot : strings(UninstallSql.SLOTS)) {
            out.println("- the replication slot " + slot);
        }
        out.println("- the publication walmerge");
        out.println("- the schema crdt");
        for (String dependent : dependents) {
            out.println("- " + dependent + ", with --cascade only");
        }
        out.println("- those of the roles " + String.join(", ", ROLES) + " that nothing else needs");
        out.println("nothing was changed: --yes does it");
        out.flush();
    }

    private void check(List<String> dependents, boolean isCascading) throws SQLException, MigrationException {
        if (!strings(UninstallSql.OWNER).get(0).equals("t")) {
            throw new MigrationException(Code.NOT_PERMITTED, "only the owner of the schema crdt can drop it");
        }
        if (!dependents.isEmpty() && !isCascading) {
            throw new MigrationException(
                    Code.SCHEMA_NEEDED,
                    "objects of yours depend on the schema crdt: " + String.join(", ", dependents)
                            + ". Drop them first, or let --cascade do it");
        }
    }

    /** From here on none can start, for as long as this connection lives. */
    private void excludeSidecars(boolean isForced) throws SQLException, MigrationException {
        boolean locked = isTrue(UninstallSql.TRY_LOCK);
        for (int look = 0; !locked && isForced && look < LOCK_LOOKS; look++) {
            end(strings(UninstallSql.HOLDERS));
            LockSupport.parkNanos(LOOK_NANOS);
            locked = isTrue(UninstallSql.TRY_LOCK);
        }
        if (!locked) {
            throw new MigrationException(
                    Code.SIDECAR_ACTIVE,
                    "a sidecar is writing the documents of this database: stop it, or let --force end it");
        }
    }

    private void dropSlots(boolean isForced) throws SQLException, MigrationException {
        for (String slot : strings(UninstallSql.SLOTS)) {
            for (int look = 1; ; look++) {
                try (PreparedStatement drop = connection.prepareStatement(UninstallSql.DROP_SLOT)) {
                    drop.setString(1, slot);
                    drop.execute();
                    out.println("dropped the replication slot " + slot);
                    break;
                } catch (SQLException e) {
                    if (!IN_USE.equals(e.getSQLState())) {
                        throw e;
                    }
                    // A sidecar that has just ended is still there for a moment.
                    if (look == SLOT_LOOKS) {
                        throw new MigrationException(
                                Code.SIDECAR_ACTIVE,
                                "the slot " + slot + " is being read, by no sidecar that --force could end",
                                e);
                    }
                }
                if (isForced) {
                    end(readers(slot));
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    private List<String> readers(String slot) throws SQLException {
        List<String> readers = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(UninstallSql.SLOTS)) {
            while (row.next()) {
                if (row.getString(1).equals(slot) && row.getString(2) != null) {
                    readers.add(row.getString(2));
                }
            }
        }
        return readers;
    }

    private void end(List<String> pids) throws SQLException {
        for (String pid : pids) {
            try (PreparedStatement end = connection.prepareStatement(UninstallSql.END)) {
                end.setInt(1, Integer.parseInt(pid));
                end.execute();
            }
        }
    }

    /** Other databases, or grants of the app on objects of its own, may need them. */
    private void dropRoles(List<String> left) throws SQLException {
        for (String role : ROLES) {
            if (!isTrue("select exists (select from pg_catalog.pg_roles where rolname = '" + role + "')")) {
                continue;
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("drop role " + role);
                out.println("dropped the role " + role);
            } catch (PSQLException e) {
                ServerErrorMessage server = e.getServerErrorMessage();
                if (server == null) {
                    throw e;
                }
                String why = server.getDetail() == null
                        ? server.getMessage()
                        : server.getDetail().replace("\n", ", ");
                left.add("the role " + role + ": " + why);
            }
        }
    }

    private void inTransaction(String sql) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private boolean isTrue(String query) throws SQLException {
        return strings(query).get(0).equals("t");
    }

    private List<String> strings(String query) throws SQLException {
        List<String> strings = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                strings.add(row.getString(1));
            }
        }
        return strings;
    }
}
