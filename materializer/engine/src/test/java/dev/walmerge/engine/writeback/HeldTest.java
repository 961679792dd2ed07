package dev.walmerge.engine.writeback;

import static dev.walmerge.engine.testing.Rows.one;
import static dev.walmerge.engine.writeback.Writes.bytes;
import static dev.walmerge.engine.writeback.Writes.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.engine.testing.SidecarLogin;
import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Documents whose rows Postgres does not take, one transaction at a time. */
final class HeldTest {
    private static final String NOT_BAD = """
            create function crdt.not_bad() returns trigger language plpgsql as $$
            begin
              if new.doc like 'bad%' then raise exception 'no' using errcode = tg_argv[0]; end if;
              return new;
            end $$;
            """;

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final SidecarLogin sidecar = SidecarLogin.create(database);
    private WriteBack writeBack;
    private DocumentStore store;

    @BeforeEach
    void takeOver() throws SQLException {
        Lease lease;
        try (Connection connection = sidecar.connect()) {
            lease = TakeOver.takeOver(connection, "walmerge", "7", 1);
        }
        writeBack = new WriteBack(sidecar::connect, lease, 300);
        store = new DocumentStore(sidecar::connect);
    }

    @AfterEach
    void close() {
        writeBack.close();
        store.close();
    }

    @Test
    void aDocumentWithoutAStateToAppendToIsHeld() throws Exception {
        Committed committed =
                commit(0x10, Writes.of("a", 0x10).text("1").tail(2).build());
        assertThat(committed.refused())
                .containsExactly(new Refused(key("a"), Refused.Part.ROWS, "P0002", "P0002: its ydoc row is gone"));
        assertThat(committed.refused().get(0).isWithoutState()).isTrue();
        StoredDocument stored = store.load(key("a"));
        assertThat(stored.state()).isNull();
        assertThat(stored.changes()).containsExactly(bytes(2));
        assertThat(stored.held()).isEqualTo("P0002: its ydoc row is gone");
        assertThat(stored.mergedLsn()).isEqualTo(0x10);
        commit(
                0x20,
                Writes.of("a", 0x20)
                        .text("12")
                        .tail(3)
                        .fold(2, 3)
                        .rows(Care.ALONE, stored.held())
                        .build());
        assertThat(one(database, "select count(*) from crdt.held")).isEqualTo("0");
        assertThat(store.load(key("a")).changes()).isEmpty();
        assertThat(one(database, "select state from crdt.ydoc")).isEqualTo("\\x0203");
    }

    @Test
    void itsChangesAndParkedUpdatesAreHeldAndMoveIntoItsRowsLater() throws Exception {
        ParkedUpdate first = new ParkedUpdate(1, "yjs-v2", bytes(9), 77, 0x10);
        ParkedUpdate second = new ParkedUpdate(2, "yjs-v1", bytes(8), 78, 0x20);
        ParkedUpdate third = new ParkedUpdate(3, "yjs-v1", bytes(7), 79, 0x30);
        commit(0x10, Writes.of("bad", 0x10).text("1").fold(1).park(first).build());
        refuse("crdt.tail", "23514");
        List<DocumentWrite> writes = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            writes.add(Writes.of("good" + i, 0x20).text("text").fold(i).build());
        }
        writes.add(33, Writes.of("bad", 0x20).text("12").tail(2).park(second).build());
        Committed committed = writeBack.commit(writes, List.of(), 0x20);
        assertThat(committed.refused())
                .containsExactly(new Refused(key("bad"), Refused.Part.ROWS, "23514", "23514: a constraint refuses it"));
        assertThat(one(database, "select count(*) from crdt.docs where body_text = 'text' and error is null"))
                .isEqualTo("50");
        assertThat(
                        one(
                                database,
                                "select concat_ws('|', version, body_text, merged_lsn, error) from crdt.docs where doc = 'bad'"))
                .as("the text is new, its ops are safe")
                .isEqualTo("2|12|0/20|held 23514: a constraint refuses it");

        String reason = committed.refused().get(0).reason();
        commit(
                0x30,
                Writes.of("bad", 0x30)
                        .text("123")
                        .tail(3)
                        .park(third)
                        .unpark(1, 2)
                        .rows(Care.NOT_NOW, reason)
                        .build());
        StoredDocument stored = store.load(key("bad"));
        assertThat(stored.state()).isEqualTo(bytes(1));
        assertThat(stored.changes()).containsExactly(bytes(2), bytes(3));
        assertThat(stored.parked()).extracting(ParkedUpdate::seq).containsExactly(1L, 3L);
        assertThat(stored.mergedLsn()).isEqualTo(0x30);
        assertThat(stored.opCount()).isEqualTo(0x30);
        assertThat(stored.projected()).isTrue();
        assertThat(one(
                        database,
                        "select string_agg(concat_ws(':', seq, payload, merged_lsn), ' ' order by seq)"
                                + " from crdt.load('bad')"))
                .isEqualTo("1:\\x01:0/10 2:\\x02:0/20 3:\\x03:0/30 4:\\x09 5:\\x07");
        assertThat(one(database, "select concat_ws('|', severity, finding) from crdt.health where name = 'held'"))
                .startsWith("warning|1 documents can't be written, the oldest since 2");

        database.execute("drop trigger refuse on crdt.tail");
        commit(
                0x40,
                Writes.of("bad", 0x40)
                        .text("1234")
                        .tail(4)
                        .unpark(1, 2)
                        .rows(Care.ALONE, reason)
                        .build());
        assertThat(one(database, "select count(*) from crdt.held")).isEqualTo("0");
        assertThat(one(
                        database,
                        "select string_agg(concat_ws(':', seq, payload, merged_lsn, op_count), ' ' order by seq)"
                                + " from crdt.tail"))
                .isEqualTo("1:\\x02:0/20:32 2:\\x03:0/30:48 3:\\x04:0/40:64");
        stored = store.load(key("bad"));
        assertThat(stored.parked())
                .containsExactly(
                        new ParkedUpdate(3, "yjs-v1", stored.parked().get(0).payload(), 79, 0x30));
        assertThat(stored.held()).isNull();
        assertThat(one(database, "select concat_ws('|', version, body_text, error) from crdt.docs where doc = 'bad'"))
                .isEqualTo("4|1234");
    }

    @Test
    void aLockedRowCostsTheOthersOneTimeout() throws Exception {
        for (int i = 0; i < 60; i++) {
            commit(0x10, Writes.of("d" + i, 0x10).text("old").fold(1).build());
        }
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("update crdt.ydoc set op_count = op_count where doc = 'd7'");
            statement.execute("update crdt.docs set op_count = op_count where doc = 'd8'");
            List<DocumentWrite> writes = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                writes.add(
                        Writes.of("d" + i, 0x20).text("new").tail(2).fold(1, 2).build());
            }
            long start = System.nanoTime();
            Committed committed = writeBack.commit(writes, List.of(), 0x20);
            assertThat((System.nanoTime() - start) / 1_000_000).isLessThan(3_000);
            assertThat(committed.refused())
                    .containsExactly(
                            new Refused(key("d7"), Refused.Part.ROWS, "55P03", "55P03: another session has it locked"),
                            new Refused(key("d8"), Refused.Part.DOCS, "55P03", "55P03: another session has it locked"));
            assertThat(one(database, "select count(*) from crdt.docs where body_text = 'new'"))
                    .isEqualTo("59");
            assertThat(one(
                            database,
                            "select string_agg(doc || ' ' || kind || ' ' || coalesce(payload::text, ''), ', ' order by doc)"
                                    + " from crdt.held"))
                    .isEqualTo("d7 change \\x02, d8 docs ");
            assertThat(store.load(key("d8")).projected())
                    .as("nothing could be written into its row")
                    .isFalse();
            assertThat(store.suspects(null, 10)).containsExactly(key("d7"), key("d8"));
            assertThat(store.suspects(key("d7"), 10)).containsExactly(key("d8"));
        }
        commit(
                0x30,
                Writes.of("d7", 0x30)
                        .text("newer")
                        .tail(3)
                        .rows(Care.ALONE, "55P03: x")
                        .build(),
                Writes.of("d8", 0x30).text("newer").json(null).docs(Care.ALONE).build());
        assertThat(one(database, "select count(*) from crdt.held")).isEqualTo("0");
        assertThat(one(database, "select count(*) from crdt.docs where body_text = 'newer' and error is null"))
                .isEqualTo("2");
        assertThat(store.load(key("d7")).changes()).containsExactly(bytes(2), bytes(3));
        assertThat(store.suspects(null, 10)).isEmpty();
    }

    @Test
    void whatWasToFollowARefusedStatementIsForgotten() throws Exception {
        commit(0x10, Writes.of("a", 0x10).text("1").fold(1).build());
        Committed committed;
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select from crdt.ydoc where doc = 'a' for update");
            committed = commit(
                    0x20, Writes.of("a", 0x20).text("12").tail(2).fold(1, 2).build());
        }
        String reason = committed.refused().get(0).reason();
        commit(
                0x30,
                Writes.of("a", 0x30)
                        .text("123")
                        .tail(3)
                        .rows(Care.ALONE, reason)
                        .build());
        // The fold that was refused would have emptied the tail of a; this one must not.
        commit(0x40, Writes.of("b", 0x40).text("b").fold(9).build());
        assertThat(store.load(key("a")).changes()).containsExactly(bytes(2), bytes(3));
    }

    @Test
    void aConstraintThatSpeaksAtTheCommitIsAboutItsDocumentToo() throws Exception {
        commit(0x10, Writes.of("bad", 0x10).text("1").fold(1).build());
        database.execute(NOT_BAD
                + "create constraint trigger refuse after insert or update on crdt.tail deferrable initially deferred"
                + " for each row execute function crdt.not_bad('P0001')");
        Committed committed = commit(
                0x20,
                Writes.of("bad", 0x20).text("12").tail(2).build(),
                Writes.of("good", 0x20).text("good").fold(1).build());
        assertThat(committed.refused()).extracting(Refused::reason).containsExactly("P0001: a trigger raised an error");
        assertThat(one(database, "select string_agg(body_text, ' ' order by doc) from crdt.docs"))
                .isEqualTo("12 good");
        assertThat(one(database, "select count(*) from crdt.tail")).isEqualTo("0");
    }

    @Test
    void whenNothingGoesThroughTheRestIsNotTried() throws Exception {
        database.execute("create sequence crdt.tries; " + """
                create function crdt.refuse() returns trigger language plpgsql as $$
                begin perform nextval('crdt.tries'); raise exception 'no'; end $$;
                create trigger refuse before insert on crdt.ydoc for each row execute function crdt.refuse();
                grant usage on sequence crdt.tries to public""");
        List<DocumentWrite> writes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            writes.add(Writes.of("d" + i, 0x10).text("1").tail(1).fold(1).build());
        }
        assertThat(writeBack.commit(writes, List.of(), 0x10).refused()).hasSize(100);
        assertThat(Integer.parseInt(one(database, "select last_value from crdt.tries")))
                .isLessThan(40);
        assertThat(one(database, "select count(*) || ' ' || count(distinct doc) from crdt.held"))
                .isEqualTo("100 100");
        assertThat(one(database, "select written from crdt.progress")).isEqualTo("0/10");
    }

    @Test
    void troubleOfTheServerIsNoDocuments() throws Exception {
        commit(0x10, Writes.of("bad", 0x10).text("1").fold(1).build());
        refuse("crdt.tail", "53100");
        DocumentWrite write = Writes.of("bad", 0x20).text("12").tail(2).build();
        assertThatThrownBy(() -> commit(0x20, write)).isInstanceOf(SQLException.class);
        assertThat(one(database, "select written from crdt.progress")).isEqualTo("0/10");
        assertThat(one(database, "select count(*) from crdt.held")).isEqualTo("0");
        database.execute("drop trigger refuse on crdt.tail");
        assertThat(commit(0x20, write).refused()).isEmpty();
        assertThat(store.load(key("bad")).changes()).containsExactly(bytes(2));
    }

    @Test
    void aConflictIsTriedAgainBeforeADocumentIsBlamed() throws Exception {
        commit(0x10, Writes.of("bad", 0x10).text("1").fold(1).build());
        // A sequence is not rolled back: refuses twice.
        database.execute("""
                create sequence crdt.tries;
                create function crdt.twice() returns trigger language plpgsql as $$
                begin
                  if nextval('crdt.tries') <= 2 then raise exception 'no' using errcode = '40P01'; end if;
                  return new;
                end $$;
                create trigger refuse before insert on crdt.tail for each row execute function crdt.twice();
                grant usage on sequence crdt.tries to public""");
        assertThat(commit(0x20, Writes.of("bad", 0x20).text("12").tail(2).build())
                        .refused())
                .isEmpty();
        assertThat(store.load(key("bad")).changes()).containsExactly(bytes(2));
        database.execute("drop trigger refuse on crdt.tail");
        refuse("crdt.tail", "40001");
        assertThat(commit(0x30, Writes.of("bad", 0x30).text("123").tail(3).build())
                        .refused())
                .extracting(Refused::sqlState)
                .containsExactly("40001");
    }

    private void refuse(String table, String sqlState) throws SQLException {
        database.execute("drop function if exists crdt.not_bad; " + NOT_BAD
                + "create trigger refuse before insert or update on " + table
                + " for each row execute function crdt.not_bad('" + sqlState + "')");
    }

    private Committed commit(long written, DocumentWrite... writes) throws SQLException, FencedException {
        return writeBack.commit(List.of(writes), List.of(), written);
    }
}
