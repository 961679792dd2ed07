package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class MigrationsTest {
    @Test
    void areNumberedWithoutAGap() {
        List<Migration> all = Migrations.all();
        assertThat(all)
                .extracting(Migration::version)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, all.size()).boxed().toList());
        assertThat(all)
                .extracting(Migration::checksum)
                .allMatch(checksum -> checksum.matches("[0-9a-f]{64}"))
                .doesNotHaveDuplicates();
    }

    @Test
    void aScriptRecordsTheMigrationFirstExceptTheOneThatMakesTheTable() {
        for (Migration migration : Migrations.all()) {
            String row = "insert into crdt.migration (version, name, checksum) values (" + migration.version() + ", '"
                    + migration.name() + "', '" + migration.checksum() + "');\n";
            assertThat(migration.script())
                    .isEqualTo(migration.version() == 1 ? migration.sql() + row : row + migration.sql());
        }
    }
}
