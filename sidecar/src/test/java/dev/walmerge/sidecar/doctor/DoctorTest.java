package dev.walmerge.sidecar.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sidecar.migrate.Migrator;
import dev.walmerge.sidecar.replication.Endpoint;
import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each thing that can be wrong is made wrong on a real server, and found, and nothing else is. */
final class DoctorTest {
    private static final String SLOT = "doctor_test";

    private final Database database = PostgresServer.shared().createDatabase();
    private final String role = "sidecar_of_" + database.name();

    @BeforeEach
    void install() throws Exception {
        try (Connection connection = database.connect()) {
            Migrator.apply(connection);
        }
        database.execute("create role " + role + " login replication in role crdt_sidecar");
    }

    private List<Finding> examine() throws SQLException {
        return Doctor.examine(Endpoint.of(database.url().replace("user=postgres", "user=" + role)), SLOT);
    }

    private List<String> critical() throws SQLException {
        return examine().stream()
                .filter(finding -> finding.severity() == Severity.CRITICAL)
                .map(Finding::check)
                .toList();
    }

    private Finding finding(String check) throws SQLException {
        return examine().stream()
                .filter(finding -> finding.check().equals(check))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aServerThatIsReady() throws Exception {
        List<Finding> findings = examine();
        assertThat(findings)
                .filteredOn(finding -> finding.severity() == Severity.CRITICAL)
                .isEmpty();
        assertThat(findings).extracting(Finding::check).doesNotHaveDuplicates().hasSizeGreaterThan(20);
        assertThat(findings).allSatisfy(finding -> {
            assertThat(finding.found()).isNotBlank();
            assertThat(finding.meaning()).isNotBlank();
            assertThat(finding.cure()).isNotBlank();
        });
    }

    /** What was changed is put right again, as the server is shared. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "role-replication,replication-login | alter role ROLE noreplication",
                "role-sidecar,schema | revoke crdt_sidecar from ROLE",
                "row-security | alter table crdt.docs enable row level security",
                "read-only | alter role ROLE set default_transaction_read_only = on",
                "publication | drop publication walmerge",
                "publication | alter publication walmerge drop table crdt.ops",
                "publication | alter publication walmerge set (publish_via_partition_root = false)",
                "publication | alter publication walmerge set table crdt.ops where (id > 5), crdt.collection",
                "schema | delete from crdt.migration where version = (select max(version) from crdt.migration)",
            })
    void aThingThatIsWrong(String checks, String breaking) throws Exception {
        database.execute(breaking.replace("ROLE", role));
        assertThat(critical()).containsExactlyInAnyOrder(checks.split(","));
    }

    @Test
    void nothingIsInstalled() throws Exception {
        database.execute("drop schema crdt cascade; drop publication walmerge");
        assertThat(critical()).containsExactlyInAnyOrder("schema", "publication");
    }

    @Test
    void aSlotOfAnotherDatabase() throws Exception {
        Database other = PostgresServer.shared().createDatabase();
        other.execute("select pg_create_logical_replication_slot('" + SLOT + "', 'pgoutput')");
        try {
            assertThat(critical()).containsExactly("slot");
            assertThat(finding("slot").found()).contains(other.name());
        } finally {
            other.execute("select pg_drop_replication_slot('" + SLOT + "')");
        }
    }

    @Test
    void ourSlot() throws Exception {
        database.execute("select pg_create_logical_replication_slot('" + SLOT + "', 'pgoutput')");
        try {
            assertThat(finding("slot")).matches(found -> found.severity() == Severity.OK);
            assertThat(finding("slot").found()).isEqualTo("nobody reads it");
        } finally {
            database.execute("select pg_drop_replication_slot('" + SLOT + "')");
        }
    }

    @Test
    void anEncodingThatCannotHoldEveryCharacter() throws Exception {
        String latin = database.name() + "_latin";
        database.execute(
                "create database " + latin + " encoding 'LATIN1' template template0 lc_collate 'C'" + " lc_ctype 'C'");
        Endpoint endpoint =
                Endpoint.of(database.url().replace(database.name(), latin).replace("user=postgres", "user=" + role));
        assertThat(Doctor.examine(endpoint, SLOT))
                .filteredOn(finding -> finding.severity() == Severity.CRITICAL)
                .extracting(Finding::check)
                .contains("encoding");
    }

    @Test
    void aWrongWalLevelNamesTheCure() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setServerConfig("wal_level", "replica")
                .start()) {
            assertThat(Doctor.examine(Endpoint.of(server.getJdbcUrl("postgres", "postgres")), SLOT))
                    .filteredOn(finding -> finding.check().equals("wal-level"))
                    .singleElement()
                    .matches(finding -> finding.severity() == Severity.CRITICAL)
                    .matches(finding -> finding.cure().startsWith("alter system set wal_level = logical"));
        }
    }

    @Test
    void theRunbookExplainsEachCheck() throws Exception {
        String runbook = Files.readString(Path.of("..", "ops", "RUNBOOK.md"), StandardCharsets.UTF_8);
        assertThat(examine()).allSatisfy(finding -> assertThat(runbook).contains("`" + finding.check() + "`"));
    }
}
