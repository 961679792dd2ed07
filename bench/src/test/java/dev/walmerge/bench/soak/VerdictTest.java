package dev.walmerge.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sidecar.Sidecar;
import dev.walmerge.sidecar.config.ConfigLoader;
import dev.walmerge.sidecar.config.Setting;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check at the end of a soak finds what it is there to find. */
final class VerdictTest {
    private static final int OPS = 2_500;

    @TempDir
    Path state;

    @Test
    void whatIsRightPassesAndWhatIsTamperedWithDoesNot() throws Exception {
        try (Server server = Server.start(state, "verdict")) {
            Map<Setting, String> flags = Map.of(
                    Setting.URL,
                    server.url(),
                    Setting.STATE_DIRECTORY,
                    state.resolve("journal").toString());
            try (Sidecar sidecar = Sidecar.start(ConfigLoader.load(flags, Map.of(), null))) {
                assertThat(sidecar.stats()).isNotNull();
                List<PlannedDocument> documents = write(server);
                server.sync("1 min");
                try (Connection connection = server.connect()) {
                    connection.setAutoCommit(false);
                    Verdict right = Verdict.of(connection, documents, Instant.MIN);
                    assertThat(right.isGood()).as("%s", right.problems()).isTrue();
                    assertThat(right.summary()).contains("lost 0, doubled 0; 0 documents differ");
                    tamper(connection, documents);
                }
            }
        }
    }

    private static List<PlannedDocument> write(Server server) throws SQLException {
        AtomicLong committed = new AtomicLong();
        SoakSettings settings = new SoakSettings(Duration.ofMinutes(1), 4, 1, 10, 1_000_000, 0, null);
        return new Writer(
                        server.url(),
                        0,
                        settings,
                        Histories.load(),
                        new BadOps(),
                        committed,
                        () -> committed.get() >= OPS)
                .call();
    }

    private static void tamper(Connection connection, List<PlannedDocument> documents) throws SQLException {
        String one = "'" + documents.get(0).key() + "'";
        String text = documents.stream()
                .filter(document -> !document.history().json())
                .map(document -> "'" + document.key() + "'")
                .findFirst()
                .orElseThrow();
        String json = documents.stream()
                .filter(document -> document.history().json())
                .map(document -> "'" + document.key() + "'")
                .findFirst()
                .orElseThrow();
        assertFound(
                connection,
                documents,
                "update crdt.docs set body_text = body_text || 'x' where doc = " + text,
                "not what yjs gives");
        assertFound(
                connection,
                documents,
                "update crdt.docs set body_json = body_json || '{\"x\": 1}' where doc = " + json,
                "not what yjs gives");
        assertFound(connection, documents, "delete from crdt.docs where doc = " + one, "no row in crdt.docs");
        assertFound(
                connection, documents, "update crdt.docs set op_count = op_count - 1 where doc = " + one, "counts ");
        assertFound(
                connection,
                documents,
                "update crdt.docs set op_count = op_count + 1 where doc = " + one,
                "counts 1 ops twice");
        assertFound(
                connection,
                documents,
                "delete from crdt.tail where doc = " + one + "; update crdt.ydoc set state = '\\x0000' where doc = "
                        + one,
                "are not in the loaded state");
        assertFound(
                connection,
                documents,
                // A client nobody is, with one letter.
                "insert into crdt.tail (doc, seq, format, payload, merged_lsn, op_count) values (" + one
                        + ", 1000000, 'yjs-v1', '\\x0101070004010474657874017800', '0/0', 1)",
                "the loaded state is not that of the ops");
        assertFound(
                connection,
                documents,
                "delete from crdt.dead_letter where id = (select min(id) from crdt.dead_letter)",
                "a bad op is no dead letter");
        assertFound(
                connection,
                documents,
                "insert into crdt.dead_letter (collection, doc, lsn, seq, row_id, payload, role, rule, reason)"
                        + " select collection, doc, lsn, seq, -1, payload, role, rule, reason from crdt.dead_letter"
                        + " order by id limit 1",
                "a dead letter 2 times");
    }

    private static void assertFound(Connection connection, List<PlannedDocument> documents, String sql, String problem)
            throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            Verdict verdict = Verdict.of(connection, documents, Instant.MIN);
            assertThat(verdict.isGood()).as(sql).isFalse();
            assertThat(verdict.problems()).as(sql).anyMatch(found -> found.contains(problem));
        } finally {
            connection.rollback();
        }
    }
}
