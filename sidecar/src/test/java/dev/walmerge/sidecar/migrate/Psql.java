package dev.walmerge.sidecar.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer.Database;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** The psql of this machine, if it has one; the embedded servers come without. */
final class Psql {
    private Psql() {}

    static boolean isThere() {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "psql")));
    }

    /** Runs a script as the database's owner; the first error ends it. */
    static void run(Database database, String script) throws IOException, InterruptedException {
        URI url = URI.create(database.url().substring("jdbc:".length()));
        Path file = Files.createTempFile("walmerge", ".sql");
        Path said = Files.createTempFile("walmerge", ".log");
        try {
            Files.writeString(file, script);
            ProcessBuilder psql = new ProcessBuilder(
                            "psql",
                            "-X",
                            "-v",
                            "ON_ERROR_STOP=1",
                            "-h",
                            url.getHost(),
                            "-p",
                            Integer.toString(url.getPort()),
                            "-U",
                            "postgres",
                            "-d",
                            database.name(),
                            "-f",
                            file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile());
            Process process = psql.start();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue())
                    .as(Files.readString(said, StandardCharsets.UTF_8))
                    .isZero();
        } finally {
            Files.delete(file);
            Files.delete(said);
        }
    }
}
