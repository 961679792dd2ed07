package dev.walmerge.sql.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;

/** Applies the migration files as they are, for tests below the migrator. */
final class Migrations {
    private static final String FOLDER = "/dev/walmerge/sql/migrations/";

    private Migrations() {}

    static void install(PostgresServer.Database database) {
        for (String file : read("index").lines().toList()) {
            try {
                database.execute(read(file));
            } catch (SQLException e) {
                throw new IllegalStateException(file, e);
            }
        }
    }

    private static String read(String file) {
        try (InputStream in = Migrations.class.getResourceAsStream(FOLDER + file)) {
            if (in == null) {
                throw new IllegalStateException("no resource " + FOLDER + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
