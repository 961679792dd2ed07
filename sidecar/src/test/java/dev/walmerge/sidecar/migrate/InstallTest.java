package dev.walmerge.sidecar.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.sidecar.migrate.MigrationException.Code;
import dev.walmerge.sql.Migrations;
import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Nobody is superuser here: a role that owns the database and may create roles installs. */
final class InstallTest {
    private final Database database = PostgresServer.shared().createDatabase();
    private final String owner = "owner of " + database.name();
    private final String sidecar = "sidecar-of-" + database.name();
    private final StringWriter printed = new StringWriter();

    private Connection connectAs(String role) throws SQLException {
        Connection connection = DriverManager.getConnection(database.url());
        try (Statement statement = connection.createStatement()) {
            statement.execute("set session authorization \"" + role + "\"");
        }
        return connection;
    }

    private void createOwner(String attributes) throws SQLException {
        database.execute("create role \"" + owner + "\" " + attributes);
        database.execute("alter database " + database.name() + " owner to \"" + owner + "\"");
    }

    private Install install(Connection connection) {
        return new Install(connection, new PrintWriter(printed));
    }

    @Test
    void saysWhatTheSidecarsRoleLacksAndIsIdempotent() throws Exception {
        createOwner("createrole");
        database.execute("create role \"" + sidecar + "\" login");
        try (Connection connection = connectAs(owner)) {
            Install.Report report = install(connection).run(sidecar);
            assertThat(report.applied()).isEqualTo(Migrations.all());
            assertThat(report.left())
                    .anyMatch(line -> line.contains("alter role \"" + sidecar + "\" replication;"))
                    .anyMatch(line -> line.contains("rds_replication"))
                    .anyMatch(line -> line.contains("Neon"));
            // Another database of this server may have made the roles: then the owner can't grant them.
            database.execute("grant crdt_sidecar to \"" + sidecar + "\"");
            database.execute("alter role \"" + sidecar + "\" replication");
            assertThat(install(connection).run(sidecar)).isEqualTo(new Install.Report(List.of(), List.of()));
        }
        assertThat(printed.toString())
                .contains("applied migration 1 (main_job)")
                .contains("ready: ops/walmerge run");
    }

    @Test
    void grantsTheRoleWhereItMay() throws Exception {
        database.execute("create role \"" + sidecar + "\" login replication");
        try (Connection connection = database.connect()) {
            assertThat(install(connection).run(sidecar).left()).isEmpty();
        }
        assertThat(printed.toString()).contains("grant crdt_sidecar to \"" + sidecar + "\"");
    }

    @Test
    void namesARoleThatDoesNotExist() throws Exception {
        try (Connection connection = database.connect()) {
            assertThat(install(connection).run("nobody").left())
                    .singleElement()
                    .asString()
                    .contains("create role nobody login replication");
        }
    }

    @Test
    void aRoleWithoutRightsIsToldWhichOnesItNeeds() throws Exception {
        database.execute("create role \"" + owner + "\"");
        try (Connection connection = connectAs(owner)) {
            assertThatThrownBy(() -> install(connection).run(null))
                    .isInstanceOfSatisfying(
                            MigrationException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_PERMITTED))
                    .hasMessageContaining("CREATE on the database");
        }
    }

    @Test
    void theDryRunIsAScriptForPsqlThatDoesWhatInitDoes() throws Exception {
        Assumptions.assumeTrue(Psql.isThere(), "there is no psql");
        Database initialized = PostgresServer.shared().createDatabase();
        try (Connection connection = initialized.connect()) {
            install(connection).run(null);
        }
        printed.getBuffer().setLength(0);
        try (Connection connection = database.connect()) {
            install(connection).dryRun("new role of " + database.name());
        }
        Psql.run(database, printed.toString());
        assertThat(Catalog.of(database)).isEqualTo(Catalog.of(initialized)).hasSizeGreaterThan(300);
        printed.getBuffer().setLength(0);
        try (Connection connection = database.connect()) {
            assertThat(install(connection).run("new role of " + database.name()))
                    .isEqualTo(new Install.Report(List.of(), List.of()));
            database.execute("alter publication walmerge drop table crdt.command");
            printed.getBuffer().setLength(0);
            install(connection).dryRun(null);
        }
        assertThat(printed.toString()).contains("the schema crdt is up to date");
        Psql.run(database, printed.toString());
        assertThat(Catalog.of(database)).isEqualTo(Catalog.of(initialized));
    }

    @Test
    void theDryRunPrintsAScriptThatInstalls() throws Exception {
        database.execute("create role \"" + sidecar + "\" login");
        try (Connection connection = database.connect()) {
            install(connection).dryRun(sidecar);
            assertThat(Migrator.pending(connection)).isEqualTo(Migrations.all());
            database.execute(printed.toString());
            assertThat(Migrator.pending(connection)).isEmpty();
        }
        assertThat(printed.toString()).contains("alter role \"" + sidecar + "\" replication;");
    }
}
