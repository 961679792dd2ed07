package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import dev.walmerge.sidecar.replication.Endpoint;
import dev.walmerge.sidecar.replication.SlotFixture;
import dev.walmerge.sidecar.verify.Verification;
import dev.walmerge.sql.testing.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings of what documents are shown as, changed by SQL while ops come in, through the WAL of a real server. */
final class ShownTest {
    @TempDir
    Path folder;

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final String slot = "shown_" + database.name();
    private Sidecar sidecar;

    @BeforeEach
    void start() throws Exception {
        sidecar = Sidecar.start(ConfigLoader.load(
                Map.of(
                        Setting.URL, database.url(),
                        Setting.SLOT, slot,
                        Setting.STATE_DIRECTORY, folder.toString()),
                Map.of(),
                null));
    }

    @AfterEach
    void close() throws Exception {
        sidecar.close();
        SlotFixture.drop(database, slot);
    }

    @Test
    void settingsAreInForceForWhatIsCommittedAfterThem() throws Exception {
        // "hello" in the text t.
        execute("insert into crdt.ops (doc, update) select 'doc-' || n, '\\x01010100040101740568656c6c6f00'"
                + " from generate_series(1, 20) n");
        execute("call crdt.sync('20 s')");
        assertThat(
                        query(
                                "select string_agg(distinct coalesce(body_text, '?') || coalesce(error, ''), '|') from crdt.docs"))
                .isEqualTo("hello");
        execute("select crdt.alter_collection(blocks => true)");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> query("select done_at from crdt.command").length() > 0);
        assertThat(query("select string_agg(distinct kind || ' ' || text, '|') || count(*) from crdt.blocks"))
                .isEqualTo("line hello20");
        execute("insert into crdt.ops (doc, update) values ('doc-7', '\\x010101058401040420796f7500')");
        execute("call crdt.sync('20 s')");
        assertThat(query("select text from crdt.blocks where doc = 'doc-7'")).isEqualTo("hello you");
        assertThat(query("select count(*) || max(headline) from crdt.search('hel*', max_rows => 30)"))
                .isEqualTo("20«hello»");
        assertThat(Verification.run(Endpoint.of(database.url()), slot, Duration.ofSeconds(20))
                        .faults())
                .isEmpty();
        execute("update crdt.docs set language = 'simple' where doc = 'doc-7'");
        execute("insert into crdt.ops (doc, update) values ('doc-7', '\\x01010109840108012100')");
        execute("call crdt.sync('20 s')");
        assertThat(query("select body_text || language from crdt.docs where doc = 'doc-7'"))
                .isEqualTo("hello you!simple");
        execute("select crdt.alter_collection(blocks => false, projection => 'values', root => 'none')");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> query("select count(*) from crdt.blocks").equals("0"));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> query("select string_agg(distinct body_text, '|') from crdt.docs")
                        .isEmpty());
        assertThat(query("select count(*) from crdt.dead_letter")).isEqualTo("0");
    }

    private void execute(String sql) throws SQLException {
        database.execute(sql);
    }

    /** The first column of the first row, nothing for null. */
    private String query(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            String value = row.next() ? row.getString(1) : null;
            return value == null ? "" : value;
        }
    }
}
