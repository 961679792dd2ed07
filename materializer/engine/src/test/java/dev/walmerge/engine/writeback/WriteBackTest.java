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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

final class WriteBackTest {
    private static final List<DeadLetter> NO_LETTERS = List.of();

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final SidecarLogin sidecar = SidecarLogin.create(database);
    private Lease lease;
    private WriteBack writeBack;
    private DocumentStore store;

    @BeforeEach
    void takeOver() throws SQLException {
        try (Connection connection = sidecar.connect()) {
            lease = TakeOver.takeOver(connection, "walmerge", "7", 1);
        }
        writeBack = new WriteBack(sidecar::connect, lease, 2_000);
        store = new DocumentStore(sidecar::connect);
    }

    @AfterEach
    void close() {
        writeBack.close();
        store.close();
    }

    @Test
    void aNewDocumentIsReadable() throws Exception {
        commit(
                0x10,
                Writes.of("a", 0x10).text("Hello").json("{\"t\": \"Hello\"}").fold(1, 2));
        assertThat(
                        one(
                                database,
                                "select concat_ws('|', version, epoch, token, body_text, body_json, complete, missing, merged_lsn,"
                                        + " op_count, staleness, staleness_bound, warning, error) from crdt.docs where doc = 'a'"))
                .isEqualTo("1|1|1.1|Hello|{\"t\": \"Hello\"}|t|0/10|16|00:00:00.12|debounce");
        assertThat(one(database, "select written from crdt.progress")).isEqualTo("0/10");
        StoredDocument stored = store.load(key("a"));
        assertThat(stored.state()).isEqualTo(bytes(1, 2));
        assertThat(stored.stateFormat()).isEqualTo("yjs-v1");
        assertThat(stored.changes()).isEmpty();
        assertThat(stored.parked()).isEmpty();
        assertThat(stored.mergedLsn()).isEqualTo(0x10);
        assertThat(stored.opCount()).isEqualTo(0x10);
        assertThat(stored.text()).isEqualTo("Hello");
        assertThat(stored.projected()).isTrue();
        assertThat(store.load(key("b"))).isNull();
    }

    @Test
    void tailsAreKeptInOrderUntilAFoldReplacesThem() throws Exception {
        commit(0x10, Writes.of("a", 0x10).text("1").fold(1));
        commit(0x20, Writes.of("a", 0x20).text("12").tail(2));
        commit(0x30, Writes.of("a", 0x30).text("123").tail(3));
        StoredDocument stored = store.load(key("a"));
        assertThat(stored.state()).isEqualTo(bytes(1));
        assertThat(stored.changes()).containsExactly(bytes(2), bytes(3));
        assertThat(stored.mergedLsn()).isEqualTo(0x30);
        assertThat(stored.text()).isEqualTo("123");

        commit(0x30, Writes.of("a", 0x30).unchanged("123", null).fold(1, 2, 3));
        commit(0x40, Writes.of("a", 0x40).text("1234").tail(4));
        stored = store.load(key("a"));
        assertThat(stored.state()).isEqualTo(bytes(1, 2, 3));
        assertThat(stored.changes()).containsExactly(bytes(4));
        assertThat(one(database, "select version from crdt.docs")).isEqualTo("4");
    }

    @Test
    void whatDidNotChangeIsNotSent() throws Exception {
        commit(0x10, Writes.of("a", 0x10).text("kept").json("[1]").fold(1));
        commit(
                0x20,
                Writes.of("a", 0x20)
                        .unchanged("other", "[2]")
                        .missing("{\"1\": 5}")
                        .tail(2));
        assertThat(one(
                        database,
                        "select concat_ws('|', version, body_text, body_json, complete, missing, merged_lsn)"
                                + " from crdt.docs"))
                .isEqualTo("1|kept|[1]|f|{\"1\": 5}|0/20");
        commit(0x30, Writes.of("a", 0x30).unchanged("other", null).json("[3]").tail(3));
        assertThat(one(database, "select concat_ws('|', version, body_text, body_json, complete) from crdt.docs"))
                .isEqualTo("2|kept|[3]|t");
    }

    @Test
    void parkedUpdatesComeAndGo() throws Exception {
        ParkedUpdate first = new ParkedUpdate(1, "yjs-v2", bytes(9), 77, 0x10);
        ParkedUpdate second = new ParkedUpdate(2, "yjs-v1", bytes(8), 78, 0x10);
        commit(
                0x10,
                Writes.of("a", 0x10).text("").missing("{\"5\": 0}").fold(0, 0).park(first, second));
        List<ParkedUpdate> parked = store.load(key("a")).parked();
        assertThat(parked).hasSize(2);
        assertThat(parked.get(0).payload()).isEqualTo(bytes(9));
        assertThat(parked.get(0).format()).isEqualTo("yjs-v2");
        assertThat(parked.get(1).rowId()).isEqualTo(78);
        assertThat(parked.get(1).lsn()).isEqualTo(0x10);

        ParkedUpdate third = new ParkedUpdate(3, "yjs-v1", bytes(7), 79, 0x20);
        commit(0x20, Writes.of("a", 0x20).text("x").tail(1).park(third).unpark(1, 2));
        assertThat(store.load(key("a")).parked()).extracting(ParkedUpdate::seq).containsExactly(3L);
    }

    @Test
    void lsnsAreUnsigned() throws Exception {
        long lsn = 0xFFFF_FFFF_0000_0010L;
        commit(lsn, Writes.of("a", lsn).text("x").fold(1));
        assertThat(store.load(key("a")).mergedLsn()).isEqualTo(lsn);
        assertThat(one(database, "select written from crdt.progress")).isEqualTo("FFFFFFFF/10");
    }

    @Test
    void aDeadLetterIsWrittenOnce() throws Exception {
        DeadLetter letter = new DeadLetter(
                "default", "a", 0x10, 3, 5, "yjs-v1", bytes(1), null, "app", "truncated", "ends early\0", 7);
        DeadLetter json =
                new DeadLetter("default", "a", 0x10, 4, 6, null, null, "{\"at\": 1}", "app", "unknown", "no", -1);
        writeBack.commit(List.of(), List.of(letter, json), 0x10);
        writeBack.commit(List.of(), List.of(letter, json), 0x10);
        assertThat(one(
                        database,
                        "select string_agg(concat_ws('|', doc, lsn, seq, row_id, format, payload, op, role, rule, reason,"
                                + " byte_offset), ' ' order by seq) from crdt.dead_letter"))
                .isEqualTo("a|0/10|3|5|yjs-v1|\\x01|app|truncated|ends early\uFFFD|7"
                        + " a|0/10|4|6|{\"at\": 1}|app|unknown|no");
    }

    @Test
    void nothingToSayTouchesNothing() throws Exception {
        String before = one(database, "select xmin || ' ' || nonce from crdt.progress");
        assertThat(writeBack.commit(List.of(), NO_LETTERS, 0).nonce()).isEqualTo(lease.nonce());
        assertThat(one(database, "select xmin || ' ' || nonce from crdt.progress"))
                .isEqualTo(before);
        writeBack.commit(List.of(), NO_LETTERS, 0x10);
        assertThat(one(database, "select written from crdt.progress")).isEqualTo("0/10");
    }

    @Test
    void writtenNeverGoesBack() throws Exception {
        writeBack.commit(List.of(), NO_LETTERS, 0x20);
        assertThatThrownBy(() -> writeBack.commit(List.of(), NO_LETTERS, 0x10))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRefusedDocumentStopsNoOther() throws Exception {
        commit(0x10, Writes.of("bad", 0x10).text("old").json("1").fold(1));
        List<DocumentWrite> writes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            writes.add(Writes.of("d" + i, 0x20).text("text " + i).fold(i).build());
        }
        writes.add(
                7,
                Writes.of("bad", 0x20).text("new").json("[\"\\u0000\"]").tail(2).build());
        String deep = "[".repeat(200_000) + "]".repeat(200_000);
        writes.add(Writes.of("deep", 0x20)
                .text("deep")
                .json(deep)
                .error("mine")
                .fold(3)
                .build());
        Committed committed = writeBack.commit(writes, NO_LETTERS, 0x20);

        assertThat(committed.refused())
                .containsExactlyInAnyOrder(
                        new Refused(key("bad"), Refused.Part.DOCS, "22P05", "22P05: a character Postgres can't store"),
                        new Refused(
                                key("deep"),
                                Refused.Part.DOCS,
                                "54001",
                                "54001: nested deeper than Postgres can store"));
        assertThat(one(database, "select count(*) from crdt.docs where body_text like 'text %' and error is null"))
                .isEqualTo("20");
        assertThat(one(
                        database,
                        "select concat_ws('|', version, body_text, body_json, merged_lsn, error) from crdt.docs"
                                + " where doc = 'bad'"))
                .isEqualTo("1|old|1|0/10|projection-failed 22P05: a character Postgres can't store");
        assertThat(one(
                        database,
                        "select concat_ws('|', version, complete, body_text, merged_lsn, error) from crdt.docs"
                                + " where doc = 'deep'"))
                .isEqualTo("1|f|0/0|projection-failed 54001: nested deeper than Postgres can store; mine");
        assertThat(store.load(key("bad")).changes()).containsExactly(bytes(2));
        assertThat(store.load(key("bad")).mergedLsn()).isEqualTo(0x20);
        assertThat(store.load(key("bad")).projected()).isFalse();
        assertThat(store.load(key("deep")).state()).isEqualTo(bytes(3));
        assertThat(one(database, "select written from crdt.progress")).isEqualTo("0/20");
    }

    @Test
    void aFailedProjectionStandsUntilTextAndJsonAreSentAgain() throws Exception {
        commit(0x10, Writes.of("a", 0x10).text("old").json("1").fold(1));
        commit(0x20, Writes.of("a", 0x20).text("new\0").json("2").tail(2));
        commit(0x30, Writes.of("a", 0x30).unchanged("new", "2").tail(3));
        assertThat(one(
                        database,
                        "select concat_ws('|', body_text, merged_lsn, error like 'projection%') from crdt.docs"))
                .isEqualTo("old|0/10|t");
        commit(0x40, Writes.of("a", 0x40).text("newer").json("2").tail(4));
        assertThat(one(database, "select concat_ws('|', body_text, body_json, merged_lsn, error) from crdt.docs"))
                .isEqualTo("newer|2|0/40");
        assertThat(store.load(key("a")).projected()).isTrue();
    }

    /** Takes a gigabyte of heap, and about as much of the server's: only on request. */
    @Test
    @EnabledIfSystemProperty(named = "walmerge.large", matches = "true")
    void jsonPastTheLimitOfJsonbIsAnErrorOfThatDocument() throws Exception {
        String json = "\"" + "x".repeat(268_435_456) + "\"";
        Committed committed = commit(
                0x10,
                Writes.of("large", 0x10).text("t").json(json).fold(1),
                Writes.of("a", 0x10).text("a").fold(1));
        assertThat(committed.refused()).extracting(Refused::key).containsExactly(key("large"));
        assertThat(one(
                        database,
                        "select string_agg(doc || ' ' || coalesce(error, ''), ', ' order by doc) from crdt.docs"))
                .isEqualTo("a , large projection-failed 54000: larger than Postgres can store");
    }

    private Committed commit(long written, Writes... writes) throws SQLException, FencedException {
        List<DocumentWrite> built = new ArrayList<>();
        for (Writes write : writes) {
            built.add(write.build());
        }
        return writeBack.commit(built, NO_LETTERS, written);
    }
}
