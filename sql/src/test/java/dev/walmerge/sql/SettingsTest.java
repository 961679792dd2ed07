package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SettingsTest {
    private static final String LAST = "select format, root, json_for_text, flush_debounce, wal_budget, fold_ratio"
            + " from crdt.collection order by version desc limit 1";

    private final Database database = PostgresServer.shared().createInstalledDatabase();

    @Test
    void copiesTheLastVersionAndChangesWhatIsGiven() throws SQLException {
        try (Session session = new Session(database)) {
            assertThat(session.value("select crdt.alter_collection(flush_debounce => '100 ms', root => 'body')"))
                    .isEqualTo("2");
            assertThat(session.value(
                            "select crdt.alter_collection('default', wal_budget => 1000, json_for_text => true)"))
                    .isEqualTo("3");
            assertThat(session.rows(LAST)).containsExactly("yjs-v1|body|t|00:00:00.1|1000|0.5");
            session.run("select crdt.alter_collection(root => '')");
            assertThat(session.rows(LAST)).containsExactly("yjs-v1||t|00:00:00.1|1000|0.5");
            assertThat(session.value("select count(*) from crdt.collection")).isEqualTo("4");
        }
    }

    @Test
    void refusesAnUnknownNameAndABadValue() throws SQLException {
        try (Session session = new Session(database)) {
            assertThatThrownBy(() -> session.run("select crdt.alter_collection('posts')"))
                    .hasMessageContaining("there is no collection \"posts\"");
            assertThatThrownBy(() -> session.run("select crdt.alter_collection(format => 'rtf')"))
                    .hasMessageContaining("collection_format_check");
            assertThatThrownBy(() -> session.run("select crdt.alter_collection(root => repeat('r', 20000))"))
                    .hasMessageContaining("collection_is_short");
            assertThatThrownBy(() -> session.run("insert into crdt.command (name, rule) values"
                            + " ('discard-dead-letter', repeat('r', 201))"))
                    .hasMessageContaining("command_is_short");
            assertThatThrownBy(() -> session.run("select crdt.alter_collection(flush_interval => '-1 s')"))
                    .hasMessageContaining("collection_flush_interval_check");
        }
    }

    @Test
    void aProjectionIsOneOfThoseThereAre() throws SQLException {
        try (Session session = Session.as(database, "crdt_operator")) {
            session.run("select crdt.alter_collection(projection => 'lexical', root => 'body')");
            assertThat(session.rows(
                            "select projection, root, blocks from crdt.collection order by version desc limit 1"))
                    .containsExactly("lexical|body|f");
            assertThatThrownBy(() -> session.run("select crdt.alter_collection(projection => 'word')"))
                    .hasMessageContaining("there is no projection \"word\"")
                    .hasMessageContaining("One of auto, text, quill");
        }
    }

    @Test
    void switchingBlocksAndAskingForItOrdersAReprojection() throws SQLException {
        try (Session session = Session.as(database, "crdt_operator")) {
            session.run("select crdt.alter_collection(projection => 'values')");
            session.run("select crdt.alter_collection(blocks => false)");
            assertThat(session.rows("select name from crdt.command")).isEmpty();
            session.run("select crdt.alter_collection(blocks => true)");
            session.run("select crdt.alter_collection(blocks => true)");
            session.run("select crdt.alter_collection(projection => 'auto', reproject => true)");
            session.run("select crdt.alter_collection(blocks => false)");
            assertThat(session.rows("select name, collection, doc from crdt.command"))
                    .containsExactly("reproject|default|", "reproject|default|", "reproject|default|");
            assertThatThrownBy(() -> session.run("insert into crdt.command (name, rule) values ('reproject', 'x')"))
                    .hasMessageContaining("command_reproject");
            assertThatThrownBy(() -> session.run("insert into crdt.command (name) values ('discard-dead-letter')"))
                    .hasMessageContaining("command_names_something");
        }
    }

    @Test
    void concurrentChangesAllCount() throws Exception {
        try (Session one = new Session(database);
                Session two = new Session(database);
                Session watch = new Session(database)) {
            one.connection().setAutoCommit(false);
            one.run("select crdt.alter_collection(fold_rows => 7)");
            CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
                try {
                    two.run("select crdt.alter_collection(fold_bytes => 9)");
                } catch (SQLException e) {
                    throw new CompletionException(e);
                }
            });
            String waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted and database ="
                    + " (select oid from pg_database where datname = current_database())";
            while (watch.value(waiting).equals("0")) {
                assertThat(second).isNotDone();
            }
            one.connection().commit();
            second.get(20, TimeUnit.SECONDS);
            assertThat(watch.rows("select fold_rows, fold_bytes from crdt.collection order by version desc limit 1"))
                    .containsExactly("7|9");
        }
    }
}
