package dev.walmerge.sidecar.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.sidecar.migrate.MigrationException.Code;
import dev.walmerge.sql.Migration;
import dev.walmerge.sql.Migrations;
import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

final class MigratorTest {
    private static final int INSTALLERS = 20;

    private final Database database = PostgresServer.shared().createDatabase();

    @Test
    void appliesEachOnceAndThenNothing() throws Exception {
        try (Connection connection = database.connect()) {
            assertThat(Migrator.pending(connection)).isEqualTo(Migrations.all());
            assertThat(Migrator.apply(connection)).isEqualTo(Migrations.all());
            assertThat(Migrator.pending(connection)).isEmpty();
            assertThat(Migrator.apply(connection)).isEmpty();
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    @Test
    void twentyConcurrentInstallsLeaveOneSchema() throws Exception {
        CyclicBarrier start = new CyclicBarrier(INSTALLERS);
        ExecutorService pool = Executors.newFixedThreadPool(INSTALLERS);
        List<Migration> applied = new ArrayList<>();
        try {
            List<Future<List<Migration>>> results = new ArrayList<>();
            for (int i = 0; i < INSTALLERS; i++) {
                results.add(pool.submit(() -> {
                    try (Connection connection = database.connect()) {
                        start.await();
                        return Migrator.apply(connection);
                    }
                }));
            }
            for (Future<List<Migration>> result : results) {
                applied.addAll(result.get());
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(applied).containsExactlyInAnyOrderElementsOf(Migrations.all());
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            ResultSet row = statement.executeQuery("select version, checksum from crdt.migration order by version");
            for (Migration migration : Migrations.all()) {
                assertThat(row.next()).isTrue();
                assertThat(row.getInt(1)).isEqualTo(migration.version());
                assertThat(row.getString(2)).isEqualTo(migration.checksum());
            }
            assertThat(row.next()).isFalse();
        }
    }

    @Test
    void concurrentInstallsIntoTwoDatabasesShareTheRoles() throws Exception {
        Database other = PostgresServer.shared().createDatabase();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            List<Future<List<Migration>>> results = new ArrayList<>();
            for (Database each : List.of(database, other)) {
                results.add(pool.submit(() -> {
                    try (Connection connection = each.connect()) {
                        return Migrator.apply(connection);
                    }
                }));
            }
            for (Future<List<Migration>> result : results) {
                assertThat(result.get()).isEqualTo(Migrations.all());
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void theSidecarsRoleMayAskWhatIsPending() throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            Migrator.apply(connection);
            statement.execute("set session authorization crdt_sidecar");
            assertThat(Migrator.pending(connection)).isEmpty();
            assertThat(Migrator.apply(connection)).isEmpty();
        }
    }

    @Test
    void aFailedMigrationLeavesNothingOfItself() throws Exception {
        database.execute(Migrations.all().get(0).script());
        // What the second one wants to make is there already, and not from it.
        database.execute("create function crdt.load(doc text, collection text default 'default') returns int"
                + " language sql as 'select 1'");
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> Migrator.apply(connection)).hasMessageContaining("load");
            assertThat(Migrator.pending(connection))
                    .isEqualTo(Migrations.all().subList(1, Migrations.all().size()));
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    @Test
    void refusesANewerSchema() throws Exception {
        try (Connection connection = database.connect()) {
            Migrator.apply(connection);
            database.execute("insert into crdt.migration (version, name, checksum) values ("
                    + (Migrations.all().size() + 1) + ", 'later', 'x')");
            assertThatThrownBy(() -> Migrator.apply(connection))
                    .isInstanceOfSatisfying(
                            MigrationException.class, e -> assertThat(e.code()).isEqualTo(Code.SCHEMA_NEWER))
                    .hasMessageContaining("run a walmerge that is at least as new");
        }
    }

    @Test
    void refusesAnAppliedMigrationThatDiffers() throws Exception {
        try (Connection connection = database.connect()) {
            Migrator.apply(connection);
            database.execute("update crdt.migration set checksum = 'x' where version = 2");
            assertThatThrownBy(() -> Migrator.pending(connection))
                    .isInstanceOfSatisfying(
                            MigrationException.class, e -> assertThat(e.code()).isEqualTo(Code.SCHEMA_DIFFERS))
                    .hasMessageContaining("migration 2");
        }
    }

    @Test
    void refusesASchemaThatIsNotOurs() throws Exception {
        database.execute("create schema crdt");
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> Migrator.apply(connection))
                    .isInstanceOfSatisfying(
                            MigrationException.class, e -> assertThat(e.code()).isEqualTo(Code.SCHEMA_FOREIGN));
        }
    }
}
