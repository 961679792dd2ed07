package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.replication.SlotFixture;
import dev.walmerge.sql.testing.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator's plain INSERT into {@code crdt.command}, through the WAL of a real server. */
final class CommandTest {
    @TempDir
    Path folder;

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final String slot = "slot_" + database.name();
    private Sidecar sidecar;

    @AfterEach
    void close() {
        if (sidecar != null) {
            sidecar.close();
        }
    }

    @Test
    void deadLettersAreRetriedAndDiscarded() throws Exception {
        start();
        // "ab" in version 2, declared as version 1.
        execute("insert into crdt.ops (doc, update) select d, '\\x0000010100000104060374616201020101000001010000'"
                + " from unnest(array['a', 'b', 'c']) d");
        execute("call crdt.sync('20 s')");
        assertThat(query("select string_agg(doc || ' ' || rule, ', ' order by doc) from crdt.dead_letter"))
                .isEqualTo("a trailing-bytes, b trailing-bytes, c trailing-bytes");
        execute("set role crdt_operator; insert into crdt.command (name, doc, format)"
                + " values ('retry-dead-letter', 'a', 'yjs-v2')");
        execute("insert into crdt.command (name, dead_letter) select 'discard-dead-letter', id from crdt.dead_letter"
                + " where doc = 'b'");
        execute("call crdt.sync('20 s')");
        assertThat(query("select string_agg(doc || ' ' || rule, ', ' order by doc) from crdt.dead_letter"))
                .isEqualTo("c trailing-bytes");
        assertThat(query("select string_agg(doc || ' ' || body_text, ', ') from crdt.docs"))
                .isEqualTo("a ab");
        assertThat(query("select count(*) from crdt.command where done_at is null"))
                .isEqualTo("0");
    }

    @Test
    void whatWasOrderedWhileTheSlotWasGoneIsDoneAfterAResync() throws Exception {
        start();
        execute("insert into crdt.ops (doc, update) values ('a', '\\x0000010100000104060374616201020101000001010000')");
        execute("call crdt.sync('20 s')");
        sidecar.close();
        sidecar = null;
        SlotFixture.drop(database, slot);
        execute(
                "insert into crdt.command (name, rule, format) values ('retry-dead-letter', 'trailing-bytes', 'yjs-v2')");
        start();
        execute("call crdt.sync('20 s')");
        assertThat(query("select body_text from crdt.docs where doc = 'a'")).isEqualTo("ab");
        assertThat(query("select count(*) from crdt.dead_letter")).isEqualTo("0");
        assertThat(query("select count(*) from crdt.command where done_at is null"))
                .isEqualTo("0");
    }

    private void start() throws Exception {
        sidecar = Sidecar.start(ConfigLoader.load(
                Map.of(
                        Setting.URL, database.url(),
                        Setting.SLOT, slot,
                        Setting.STATE_DIRECTORY, folder.resolve("state").toString()),
                Map.of(),
                null));
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String query(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }
}
