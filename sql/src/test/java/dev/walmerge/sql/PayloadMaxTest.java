package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;

/** What is too large never becomes a row, whatever way it comes. */
final class PayloadMaxTest {
    private static final String ROWS = "select count(*) from crdt.ops";

    private final Database database = PostgresServer.shared().createInstalledDatabase();

    @Test
    void aLargerUpdateIsRefusedByName() throws SQLException {
        try (Session session = new Session(database)) {
            session.run("select crdt.alter_payload_max(5000)");
            session.run("insert into crdt.ops (doc, update) values ('a', decode(repeat('00', 5000), 'hex'))");
            refused(session, "update", "decode(repeat('00', 5001), 'hex')", "ops_too_large");
            // Stored out of line it is as large.
            session.run("create table other as select decode(repeat(md5('x'), 1000), 'hex') as payload");
            assertThatThrownBy(() -> session.run("insert into crdt.ops (doc, update) select 'a', payload from other"))
                    .hasMessageContaining("ops_too_large");
            assertThat(session.value(ROWS)).isEqualTo("1");
        }
    }

    /** What travels is the text: a number of a few bytes may have thousands of digits. */
    @Test
    void aJsonOpCountsAsItsText() throws SQLException {
        try (Session session = new Session(database)) {
            session.run("select crdt.alter_payload_max(5000)");
            session.run("insert into crdt.ops (doc, op) values ('a', '[1e4990]')");
            refused(session, "op", "'[1e5000]'", "ops_too_large");
            assertThat(session.value(ROWS)).isEqualTo("1");
        }
    }

    @Test
    void byDefaultItIs32MiB() throws SQLException {
        try (Session session = new Session(database)) {
            String max = "decode(repeat('00', 1024 * 1024), 'hex')";
            session.run("create table piece as select " + max + " as mib");
            String large = "(select string_agg(mib, ''::bytea) from piece, generate_series(1, 32))";
            session.run("insert into crdt.ops (doc, update) select 'a', " + large);
            refused(session, "update", large + " || '\\x00'", "ops_too_large");
        }
    }

    @Test
    void keyAndFormatCountToo() throws SQLException {
        try (Session session = new Session(database)) {
            session.run("select crdt.alter_payload_max(5000)");
            session.run("insert into crdt.ops (doc, update) values (repeat('ä', 2500), '\\x0000')");
            assertThatThrownBy(
                            () -> session.run("insert into crdt.ops (doc, update) values (repeat('ä', 2501), '\\x')"))
                    .hasMessageContaining("ops_too_large");
            refused(session, "update, format", "'\\x0000', repeat('x', 5000)", "ops_too_large");
        }
    }

    @Test
    void onlyTheOwnerChangesItWithinReason() throws SQLException {
        try (Session session = new Session(database)) {
            for (String bytes : new String[] {"null", "1023", "469762049"}) {
                assertThatThrownBy(() -> session.run("select crdt.alter_payload_max(" + bytes + ")"))
                        .isInstanceOf(PSQLException.class)
                        .extracting(e -> ((PSQLException) e).getSQLState())
                        .isEqualTo("22023");
            }
            for (String role : new String[] {"crdt_writer", "crdt_operator", "crdt_sidecar"}) {
                session.run("set role " + role);
                assertThatThrownBy(() -> session.run("select crdt.alter_payload_max(5000)"))
                        .hasMessageContaining("permission denied");
                session.run("reset role");
            }
        }
    }

    private static void refused(Session session, String columns, String values, String rule) {
        assertThatThrownBy(
                        () -> session.run("insert into crdt.ops (doc, " + columns + ") values ('a', " + values + ")"))
                .isInstanceOfSatisfying(PSQLException.class, e -> {
                    assertThat(e.getSQLState()).isEqualTo("23514");
                    assertThat(e.getServerErrorMessage().getConstraint()).isEqualTo(rule);
                });
    }
}
