package dev.walmerge.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.sidecar.config.ConfigException;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** An application on one database, which may be reached through something that fails. */
record App(String url) {
    /** A sidecar on this database. */
    Sidecar sidecar(String slot, Path state) throws OperatingException, ConfigException {
        return Sidecar.start(ConfigLoader.load(
                Map.of(Setting.URL, url, Setting.SLOT, slot, Setting.STATE_DIRECTORY, state.toString()),
                Map.of(),
                null));
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    void insert(String doc, byte[] update) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement insert =
                        connection.prepareStatement("insert into crdt.ops (doc, update) values (?, ?)")) {
            insert.setString(1, doc);
            insert.setBytes(2, update);
            insert.executeUpdate();
        }
    }

    void sync() throws SQLException {
        execute("call crdt.sync('60 s')");
    }

    /** A sidecar that was closed cut its link: the server notices a moment later. */
    void dropSlot(String slot) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> one("select active from pg_replication_slots where slot_name = '" + slot + "'")
                        .equals("f"));
        assertThatCode(() -> execute("select pg_drop_replication_slot('" + slot + "')"))
                .doesNotThrowAnyException();
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    List<String> query(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
        }
        return rows;
    }

    String one(String sql) throws SQLException {
        List<String> rows = query(sql);
        return rows.isEmpty() ? null : rows.get(0);
    }

    /** Null if there is no such document. */
    String text(String doc) throws SQLException {
        return one("select coalesce(body_text, '') from crdt.docs where doc = '" + doc + "'");
    }

    /** Every document is what the op rows of this database make, no more and no less; none of them was trimmed. */
    void assertDocumentsAreTheOps() throws Exception {
        List<String> docs = query("select distinct doc from crdt.ops order by 1");
        assertThat(query("select doc from crdt.docs order by 1")).isEqualTo(docs);
        for (String doc : docs) {
            Doc ops = merged("select encode(update, 'hex') from crdt.ops where doc = '" + doc + "' order by id");
            Doc loaded = merged("select encode(payload, 'hex') from crdt.load('" + doc + "') order by seq");
            assertThat(text(doc)).as(doc).isEqualTo(Projection.bodyText(ops, null));
            assertThat(loaded.sameContent(ops)).as(doc).isTrue();
            assertThat(loaded.stateVector()).as(doc).isEqualTo(ops.stateVector());
            assertThat(loaded.hasPending()).as(doc).isEqualTo(ops.hasPending());
        }
        assertThat(query("select doc from crdt.docs where error is not null")).isEmpty();
    }

    private Doc merged(String updates) throws Exception {
        Doc doc = Doc.create(true);
        for (String hex : query(updates)) {
            byte[] update = HexFormat.of().parseHex(hex);
            doc.apply(UpdateFormat.V1, update, 0, update.length);
        }
        return doc;
    }
}
