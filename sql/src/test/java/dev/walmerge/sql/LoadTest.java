package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

final class LoadTest {
    private final Database database = PostgresServer.shared().createInstalledDatabase();

    @Test
    void givesStateThenTailThenHeldThenParked() throws SQLException {
        try (Session session = new Session(database)) {
            session.run("insert into crdt.parked values ('a', 2, 'yjs-v2', '\\x06', 9, '0/9'),"
                    + " ('a', 1, 'yjs-v1', '\\x05', 8, '0/8');"
                    + "insert into crdt.tail values ('a', 12, 'yjs-v1', '\\x04', '0/4', 4),"
                    + " ('b', 1, 'yjs-v1', '\\xbb', '0/4', 4), ('a', 7, 'yjs-v1', '\\x03', '0/3', 3);"
                    + "insert into crdt.ydoc values ('a', 'yjs-v1', '\\x01', '\\x00', '0/1', 1, now())");
            assertThat(session.rows("select * from crdt.load('a')"))
                    .containsExactly(
                            "1|yjs-v1|\\x01|0/1",
                            "2|yjs-v1|\\x03|0/3",
                            "3|yjs-v1|\\x04|0/4",
                            "4|yjs-v1|\\x05|",
                            "5|yjs-v2|\\x06|");
            session.run(
                    "insert into crdt.held (doc, kind, seq, format, payload, row_id, merged_lsn, op_count, error) values"
                            + " ('a', 'change', 2, 'yjs-v1', '\\x07', null, '0/a', 6, 'x'),"
                            + " ('a', 'change', 1, 'yjs-v1', '\\x08', null, '0/9', 5, 'x'),"
                            + " ('a', 'parked', 3, 'yjs-v2', '\\x09', 5, '0/8', 5, 'x'),"
                            + " ('a', 'docs', 0, null, null, null, '0/8', 5, 'x'),"
                            + " ('new', 'change', 1, 'yjs-v1', '\\x0a', null, '0/8', 1, 'x')");
            assertThat(session.rows("select format, payload, merged_lsn from crdt.load('a')"))
                    .containsExactly(
                            "yjs-v1|\\x01|0/1",
                            "yjs-v1|\\x03|0/3",
                            "yjs-v1|\\x04|0/4",
                            "yjs-v1|\\x08|0/9",
                            "yjs-v1|\\x07|0/A",
                            "yjs-v1|\\x05|",
                            "yjs-v2|\\x06|",
                            "yjs-v2|\\x09|");
            assertThat(session.rows("select * from crdt.load('new')")).containsExactly("1|yjs-v1|\\x0a|0/8");
            assertThat(session.rows("select * from crdt.load('nobody')")).isEmpty();
            assertThatThrownBy(() -> session.rows("select * from crdt.load('a', 'other')"))
                    .hasMessageContaining("there is no collection \"other\"");
        }
    }
}
