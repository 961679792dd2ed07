package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

final class InstallTest {
    @Test
    void anInsertLandsInTheRing() throws Exception {
        PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
        database.execute("insert into crdt.ops (doc, update) values ('post-1', '\\x0000')");
        try (var connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select tableoid::regclass::text, doc, role from crdt.ops")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).isEqualTo("crdt.ops_0");
            assertThat(row.getString(2)).isEqualTo("post-1");
            assertThat(row.getString(3)).isEqualTo("postgres");
        }
    }
}
