package dev.walmerge.sidecar.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.sidecar.OperatingException;
import dev.walmerge.sidecar.Sidecar;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.migrate.MigrationException.Code;
import dev.walmerge.sidecar.migrate.Uninstall.Consent;
import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UninstallTest {
    private static final Consent YES = new Consent(true, false, false);
    private static final String HELLO = "'\\x01010100040101740568656c6c6f00'";

    @TempDir
    Path folder;

    private final StringWriter printed = new StringWriter();

    private List<String> uninstall(Database database, Consent consent) throws SQLException, MigrationException {
        try (Connection connection = database.connect()) {
            return new Uninstall(connection, new PrintWriter(printed)).run(consent);
        }
    }

    private Sidecar sidecar(Database database) throws Exception {
        return Sidecar.start(ConfigLoader.load(
                Map.of(
                        Setting.URL,
                        database.url(),
                        Setting.SLOT,
                        "slot_" + database.name(),
                        Setting.STATE_DIRECTORY,
                        folder.toString()),
                Map.of(),
                null));
    }

    /** A server of its own: roles are everybody's. */
    @Test
    void leavesTheServerAsItWas() throws Exception {
        PostgresServer server = PostgresServer.start();
        try {
            Database database = server.createDatabase();
            database.execute("create table mine (doc text); create role sidecar_login login replication;"
                    + " create role app login");
            List<String> before = Catalog.ofEverything(database);
            try (Connection connection = database.connect()) {
                assertThat(new Install(connection, new PrintWriter(printed))
                                .run("sidecar_login")
                                .left())
                        .isEmpty();
            }
            database.execute("grant crdt_writer, crdt_reader to app");
            try (Sidecar sidecar = sidecar(database)) {
                database.execute("insert into crdt.ops (doc, update) values ('a', " + HELLO + ")");
                database.execute("call crdt.sync('20 s')");
                assertThat(sidecar.stats()).isNotNull();
            }
            assertThat(Catalog.ofEverything(database)).isNotEqualTo(before);
            assertThat(uninstall(database, YES)).isEmpty();
            assertThat(Catalog.ofEverything(database)).isEqualTo(before);
            assertThat(uninstall(database, YES)).isEmpty();
            assertThat(printed.toString()).contains("dropped the replication slot slot_", "is not installed");
            try (Connection connection = database.connect()) {
                assertThat(new Install(connection, new PrintWriter(printed))
                                .run("sidecar_login")
                                .left())
                        .isEmpty();
            }
        } finally {
            server.process().close();
        }
    }

    @Test
    void keepsRolesThatOtherDatabasesUse() throws Exception {
        PostgresServer.shared().createInstalledDatabase();
        Database database = PostgresServer.shared().createInstalledDatabase();
        assertThat(uninstall(database, YES))
                .hasSize(4)
                .allMatch(line -> line.matches("the role crdt_[a-z]+: .*database t.*"));
        assertThat(Catalog.ofEverything(database))
                .contains("role crdt_reader")
                .noneMatch(fact -> fact.contains("crdt."))
                .doesNotContain("publication walmerge");
    }

    @Test
    void onlyTellsWithoutConsent() throws Exception {
        Database database = PostgresServer.shared().createInstalledDatabase();
        database.execute("create view public.mine as select doc from crdt.docs");
        List<String> before = Catalog.ofEverything(database);
        assertThat(uninstall(database, new Consent(false, true, true))).isEmpty();
        assertThat(printed.toString()).contains("would drop 0 documents", "view public.mine", "--yes");
        assertThat(Catalog.ofEverything(database)).isEqualTo(before);
    }

    @Test
    void dropsNothingOfTheAppUnlessToldTo() throws Exception {
        Database database = PostgresServer.shared().createInstalledDatabase();
        database.execute("create view public.mine as select doc from crdt.docs where crdt.tsv(body_text) @@ 'x';"
                + " create table public.post (doc text references crdt.docs);"
                + " create table public.plain (doc text default 'x')");
        assertThatThrownBy(() -> uninstall(database, YES))
                .isInstanceOfSatisfying(
                        MigrationException.class, e -> assertThat(e.code()).isEqualTo(Code.SCHEMA_NEEDED))
                .hasMessageContaining("public.mine")
                .hasMessageContaining("public.post");
        assertThat(Catalog.ofEverything(database))
                .contains(
                        "schema crdt {postgres=UC/postgres,"
                                + "crdt_writer=U/postgres,crdt_reader=U/postgres,crdt_operator=U/postgres,crdt_sidecar=U/postgres}");
        uninstall(database, new Consent(true, false, true));
        assertThat(Catalog.ofEverything(database))
                .contains("relation public.post ", "relation public.plain ")
                .noneMatch(fact -> fact.contains("public.mine"));
    }

    @Test
    void refusesBesideARunningSidecarUnlessForced() throws Exception {
        Database database = PostgresServer.shared().createInstalledDatabase();
        try (Sidecar sidecar = sidecar(database)) {
            database.execute("insert into crdt.ops (doc, update) values ('a', " + HELLO + ")");
            database.execute("call crdt.sync('20 s')");
            assertThatThrownBy(() -> uninstall(database, YES))
                    .isInstanceOfSatisfying(
                            MigrationException.class, e -> assertThat(e.code()).isEqualTo(Code.SIDECAR_ACTIVE));
            database.execute("call crdt.sync('20 s')");
            uninstall(database, new Consent(true, true, false));
            assertThat(Catalog.ofEverything(database))
                    .noneMatch(fact -> fact.contains("crdt."))
                    .doesNotContain("slot slot_" + database.name());
            assertThatThrownBy(sidecar::awaitEnd).isInstanceOf(OperatingException.class);
        }
        assertThat(Catalog.ofEverything(database)).doesNotContain("slot slot_" + database.name());
    }

    @Test
    void leavesASchemaOfSomebodyElseAlone() throws IOException, SQLException {
        Database database = PostgresServer.shared().createDatabase();
        database.execute("create schema crdt; create table crdt.mine (i int)");
        assertThatThrownBy(() -> uninstall(database, YES))
                .isInstanceOfSatisfying(
                        MigrationException.class, e -> assertThat(e.code()).isEqualTo(Code.SCHEMA_FOREIGN));
    }
}
