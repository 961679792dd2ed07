package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * What the migrations leave in the catalog, against a file a major version. To rewrite the file of the server that the
 * tests run on: {@code mvn -pl sql test -Dtest=CatalogTest -Dwalmerge.catalog.rewrite}.
 */
final class CatalogTest {
    private static final Path FILES = Path.of("src/test/resources/catalog");

    @Test
    void isWhatTheFileSays() throws SQLException, IOException {
        Database database = PostgresServer.shared().createInstalledDatabase();
        String found;
        int major;
        try (Session session = new Session(database)) {
            // Definitions name the schema only when it is not on the path.
            session.run("set search_path = pg_catalog");
            major = session.connection().getMetaData().getDatabaseMajorVersion();
            found = String.join("\n", session.rows(text("/catalog/query.sql"))) + "\n";
        }
        Path file = FILES.resolve(major + ".txt");
        if (System.getProperty("walmerge.catalog.rewrite") != null) {
            Files.writeString(file, found);
        }
        Assumptions.assumeTrue(Files.exists(file), "no catalog file for Postgres " + major);
        assertThat(found).isEqualTo(Files.readString(file));
    }

    @Test
    void everyTableAndRoutineHasAComment() throws SQLException {
        try (Session session = new Session(PostgresServer.shared().createInstalledDatabase())) {
            assertThat(session.rows("select relname from pg_class where relnamespace = 'crdt'::regnamespace"
                            + " and relkind in ('r', 'p', 'v') and obj_description(oid, 'pg_class') is null"))
                    .isEmpty();
            assertThat(session.rows("select proname from pg_proc where pronamespace = 'crdt'::regnamespace"
                            + " and obj_description(oid, 'pg_proc') is null"))
                    .isEmpty();
        }
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = CatalogTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
