package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the examples of the SQL reference, and looks for what it leaves out. */
final class ReadmeTest {
    private static final Pattern EXAMPLE = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

    private final Database database = PostgresServer.shared().createInstalledDatabase();

    @Test
    void everyExampleRuns() throws IOException, SQLException {
        Matcher example = EXAMPLE.matcher(readme());
        try (Session session = new Session(database)) {
            // No sidecar runs here: everything anybody waits for is written already.
            session.run("insert into crdt.progress values ('walmerge', '1', 1, gen_random_uuid(), 1, 'FFFF/0', now())");
            int count = 0;
            while (example.find()) {
                for (String statement : example.group(1).split(";", -1)) {
                    String sql = statement.replaceAll("--.*", "").strip();
                    if (!sql.isEmpty()) {
                        session.run(sql);
                        count++;
                    }
                }
            }
            assertThat(count).isGreaterThan(20);
        }
    }

    @Test
    void everyTableColumnAndRoutineIsNamed() throws IOException, SQLException {
        String readme = readme();
        List<String> left = new ArrayList<>();
        try (Session session = new Session(database)) {
            for (String name : session.rows("select attname from pg_attribute a join pg_class c on c.oid = a.attrelid"
                    + " where c.relnamespace = 'crdt'::regnamespace and c.relkind in ('r', 'p', 'v') and a.attnum > 0"
                    + " union select relname from pg_class where relnamespace = 'crdt'::regnamespace"
                    + " and relkind in ('r', 'p', 'v') and not relispartition"
                    + " union select proname from pg_proc where pronamespace = 'crdt'::regnamespace")) {
                if (!Pattern.compile("\\b" + name + "\\b").matcher(readme).find()) {
                    left.add(name);
                }
            }
        }
        assertThat(left).isEmpty();
    }

    private static String readme() throws IOException {
        return Files.readString(Path.of("README.md"));
    }
}
