package dev.walmerge.sidecar.doctor;

import dev.walmerge.sidecar.migrate.MigrationException;
import dev.walmerge.sidecar.migrate.Migrator;
import dev.walmerge.sidecar.migrate.Publication;
import dev.walmerge.sidecar.replication.Endpoint;
import dev.walmerge.sidecar.replication.ReplicationConnection;
import dev.walmerge.sidecar.replication.ReplicationException;
import dev.walmerge.sidecar.replication.SlotState;
import dev.walmerge.sidecar.replication.SystemIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Looks, as the role the sidecar logs in as, whether a server has what the sidecar needs. Reads only; takes no slot and
 * writes nothing.
 */
public final class Doctor {
    private static final String INIT = "ops/walmerge init --url ..., as the database's owner";

    private static final String RIGHTS =
            "select string_agg(what, ', ') as what, string_agg(cure, '; ') as cure from crdt.missing_rights(current_user)";

    private static final String NOT_PERMITTED = "42501";
    /** No such schema, or no such function: an older one. */
    private static final Set<String> MISSING = Set.of("3F000", "42883");

    private Doctor() {}

    /**
     * All that was found, good and bad, in a fixed order.
     *
     * @throws SQLException when there is no session to look with
     */
    public static List<Finding> examine(Endpoint endpoint, String slot) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        try (Connection connection = endpoint.connect("doctor")) {
            server(connection, slot, findings);
            findings.add(schema(connection));
            rights(connection, findings);
            findings.add(publication(connection));
            findings.add(slot(connection, slot));
        }
        findings.add(replication(endpoint));
        return findings;
    }

    private static void server(Connection connection, String slot, List<Finding> findings) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(resource("server.sql"))) {
            statement.setString(1, slot);
            statement.setString(2, slot);
            statement.setString(3, slot);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    findings.add(new Finding(
                            row.getString("name"),
                            Severity.of(row.getString("severity")),
                            row.getString("found"),
                            row.getString("meaning"),
                            row.getString("cure")));
                }
            }
        }
    }

    private static Finding schema(Connection connection) throws SQLException {
        String meaning = "the sidecar reads and writes one version of the schema: its own";
        try {
            int pending = Migrator.pending(connection).size();
            return new Finding(
                    "schema",
                    pending == 0 ? Severity.OK : Severity.CRITICAL,
                    pending == 0 ? "up to date" : pending + " migrations are missing",
                    meaning,
                    INIT);
        } catch (MigrationException e) {
            return new Finding(
                    "schema",
                    Severity.CRITICAL,
                    e.getMessage(),
                    meaning,
                    "see ops/RUNBOOK.md#" + e.code().label());
        } catch (SQLException e) {
            if (!NOT_PERMITTED.equals(e.getSQLState())) {
                throw e;
            }
            return new Finding("schema", Severity.CRITICAL, "this role may not read it", meaning, INIT);
        }
    }

    /** Says nothing where nothing can be looked up: other checks have said why. */
    private static void rights(Connection connection, List<Finding> findings) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(RIGHTS);
                ResultSet row = statement.executeQuery()) {
            row.next();
            String lacks = row.getString("what");
            findings.add(new Finding(
                    "rights",
                    lacks == null ? Severity.OK : Severity.CRITICAL,
                    lacks == null ? "all that the sidecar needs" : "it lacks " + lacks,
                    "without them nothing is written, or not every document",
                    lacks == null ? "nothing to do" : row.getString("cure") + "; as the owner of the schema"));
        } catch (SQLException e) {
            if (!NOT_PERMITTED.equals(e.getSQLState()) && !MISSING.contains(e.getSQLState())) {
                throw e;
            }
        }
    }

    private static Finding publication(Connection connection) throws SQLException {
        boolean there = Publication.isThere(connection);
        boolean whole = there && Publication.isWhole(connection);
        return new Finding(
                "publication",
                whole ? Severity.OK : Severity.CRITICAL,
                !there ? "there is none" : whole ? "whole" : "it lacks a table or sends something else than inserts",
                "the server sends only what the publication " + Publication.NAME
                        + " holds; 18 is silent about the rest",
                INIT);
    }

    private static Finding slot(Connection connection, String slot) throws SQLException {
        SlotState state = SlotState.read(connection, slot);
        String meaning = "the server keeps WAL for the slot until the sidecar has written what it says";
        if (state == null) {
            return new Finding("slot", Severity.OK, "not there yet", meaning, "the first start makes it");
        }
        if (!"pgoutput".equals(state.plugin()) || !connection.getCatalog().equals(state.database())) {
            return new Finding(
                    "slot",
                    Severity.CRITICAL,
                    "it belongs to the database " + state.database() + ", with the plugin " + state.plugin(),
                    "names of slots are server-wide",
                    "give this database's sidecar another with --slot");
        }
        if (state.lost()) {
            return new Finding(
                    "slot",
                    Severity.WARNING,
                    "lost",
                    "its WAL is gone",
                    "start the sidecar: it makes the slot anew and reads the tables");
        }
        return new Finding(
                "slot",
                Severity.OK,
                state.active() ? "read by process " + state.activePid() + " of the server" : "nobody reads it",
                meaning,
                "nothing to do");
    }

    /** The only way to know what pg_hba.conf, a pooler or a firewall makes of it is to try. */
    private static Finding replication(Endpoint endpoint) {
        String meaning = "a replication connection is another kind of login than an ordinary one";
        try (ReplicationConnection connection = ReplicationConnection.open(endpoint)) {
            SystemIdentity server = connection.identifySystem();
            return new Finding(
                    "replication-login",
                    Severity.OK,
                    "accepted, system " + server.systemIdentifier() + ", timeline " + server.timeline(),
                    meaning,
                    "nothing to do");
        } catch (ReplicationException e) {
            return new Finding(
                    "replication-login",
                    Severity.CRITICAL,
                    e.getMessage(),
                    meaning,
                    e.code().cure());
        }
    }

    private static String resource(String name) {
        try (InputStream in = Doctor.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
