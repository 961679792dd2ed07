package dev.walmerge.engine;

import static dev.walmerge.engine.Updates.BANG;
import static dev.walmerge.engine.Updates.HELLO;
import static dev.walmerge.engine.Updates.QUESTION;
import static dev.walmerge.engine.Updates.UNKNOWN_CONTENT;
import static dev.walmerge.engine.Updates.YOU;
import static dev.walmerge.engine.Updates.hex;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Documents that are forgotten, from the sink to the tables. */
final class ForgetTest {
    private static final String EVERYWHERE = "select string_agg(distinct place, ' ' order by place) from ("
            + "select 'docs' as place from crdt.docs where doc = 'd' union all"
            + " select 'ydoc' from crdt.ydoc where doc = 'd' union all"
            + " select 'tail' from crdt.tail where doc = 'd' union all"
            + " select 'parked' from crdt.parked where doc = 'd' union all"
            + " select 'held' from crdt.held where doc = 'd' union all"
            + " select 'dead_letter' from crdt.dead_letter where doc = 'd') p";

    @TempDir
    Path journal;

    private EngineFixture fixture;

    @BeforeEach
    void open() throws Exception {
        fixture = new EngineFixture(journal);
        start();
    }

    private void start() throws Exception {
        fixture.start(
                fixture.settings()
                        .shards(2)
                        .patience(new Patience(200, 50, 400))
                        .build(),
                Policy.defaults());
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void nothingIsLeftButTheTombstoneAndLaterOpsAreDropped() throws Exception {
        fill();
        assertThat(fixture.one(EVERYWHERE)).isEqualTo("dead_letter docs parked tail ydoc");
        long id = order("forget");
        fixture.sync();
        assertThat(fixture.one(EVERYWHERE)).isNull();
        assertThat(tombstone()).isEqualTo("in force, erased");
        assertThat(fixture.one("select done_at is not null from crdt.command where id = " + id))
                .isEqualTo("t");
        late();
        assertThat(fixture.one(EVERYWHERE)).isNull();
        assertThat(LoadedText.of(fixture.database, "d")).isEmpty();
        assertThat(fixture.text("other")).isEqualTo("hello");
        assertThat(fixture.one("select doc from crdt.dead_letter")).isEqualTo("other");
        fixture.engine.close();
        start();
        late();
        assertThat(fixture.one(EVERYWHERE)).isNull();
    }

    @Test
    void whatIsDirtyInFlightOrOutOfOrderGoesToo() throws Exception {
        fill();
        fixture.insert("d", YOU);
        order("forget");
        fixture.sync();
        assertThat(fixture.one(EVERYWHERE)).isNull();
        // What can't be decoded need not be.
        fixture.database.execute("insert into crdt.ydoc values ('e', 'yjs-v1', 'x', 'x', '0/0', 1, now())");
        order("forget", "e");
        fixture.sync();
        assertThat(fixture.one("select count(*) from crdt.ydoc where doc = 'e'"))
                .isEqualTo("0");
    }

    @Test
    void whatTheSlotSendsAgainStaysForgotten() throws Exception {
        long start = fixture.nextLsn();
        fill();
        order("forget");
        late();
        fixture.engine.close();
        fixture.database.execute("update crdt.progress set written = '0/0'");
        start();
        fixture.rewind(start);
        fill();
        assertThat(fixture.one(EVERYWHERE)).isNull();
        assertThat(tombstone()).isEqualTo("in force, erased");
    }

    @Test
    void afterARevivalOpsMakeANewDocument() throws Exception {
        fill();
        order("forget");
        late();
        order("revive");
        fixture.insert("d", Updates.append(0, "new"));
        // An editor that held the old document goes on behind what nobody has any more.
        fixture.insert("d", QUESTION);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("new");
        assertThat(fixture.one("select op_count || ' ' || version || ' ' || complete from crdt.docs where doc = 'd'"))
                .isEqualTo("2 1 false");
        assertThat(tombstone()).isEqualTo("revived, erased");
        assertThat(LoadedText.of(fixture.database, "d")).isEqualTo("new");
        fixture.engine.close();
        start();
        fixture.insert("d", Updates.append(3, "er"));
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("newer");
    }

    @Test
    void aDocumentThatNobodyKnowsIsForgottenInAdvance() throws Exception {
        order("forget");
        fixture.insert("d", HELLO);
        fixture.sync();
        assertThat(fixture.one(EVERYWHERE)).isNull();
        order("revive");
        fixture.sync();
        assertThat(fixture.one(EVERYWHERE)).isNull();
        fixture.insert("d", HELLO);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello");
    }

    @Test
    void theSameTransactionForgetsAndGoesOn() throws Exception {
        fixture.insert("d", HELLO);
        fixture.open(fixture.op("d", null, hex(YOU), null));
        fixture.engine.sink().command(command(1, "forget", "d"));
        fixture.engine.sink().op(fixture.op("d", null, hex(BANG), null));
        fixture.engine.sink().op(fixture.op("other", null, hex(HELLO), null));
        fixture.commit();
        fixture.sync();
        assertThat(fixture.one(EVERYWHERE)).isNull();
        assertThat(fixture.text("other")).isEqualTo("hello");
    }

    @Test
    void rowsThatPostgresDoesNotDeleteAreTriedAgain() throws Exception {
        fill();
        try (Connection other = fixture.database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select from crdt.ydoc where doc = 'd' for update");
            order("forget");
            late();
            assertThat(tombstone()).isEqualTo("in force, not erased");
            assertThat(fixture.one("select severity from crdt.health where name = 'forgotten'"))
                    .isEqualTo("critical");
            assertThat(fixture.one("select remedy from crdt.forget_report('d') where place = 'ydoc'"))
                    .startsWith("Not deleted: 55P03");
            assertThat(fixture.text("d")).as("dropped all the same").isEqualTo("hellox");
            fixture.engine.close();
            start();
            fixture.insert("other", YOU);
            fixture.sync();
            assertThat(fixture.text("other")).isEqualTo("hello you");
        }
        fixture.eventually("erased", () -> "in force, erased".equals(tombstone()));
        assertThat(fixture.one(EVERYWHERE)).isNull();
    }

    /** Nothing may come between the erasure and the first new op, so everything waits: the order to revive came too soon. */
    @Test
    void aRevivalWaitsForTheErasure() throws Exception {
        fill();
        try (Connection other = fixture.database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select from crdt.ydoc where doc = 'd' for update");
            order("forget");
            order("revive");
            fixture.insert("d", Updates.append(0, "new"));
            fixture.barrier();
            fixture.eventually(
                    "tried",
                    () -> "1"
                            .equals(fixture.one("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                                    + " and datname = current_database()")));
            assertThat(fixture.one("select count(*) from crdt.forgotten")).isEqualTo("0");
        }
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("new");
        assertThat(tombstone()).isEqualTo("revived, erased");
    }

    @Test
    void aTombstoneOutlivesAFailover() throws Exception {
        fill();
        order("forget");
        fixture.sync();
        fixture.engine.close();
        fixture.failOver(0x500);
        start();
        late();
        assertThat(fixture.one(EVERYWHERE)).isNull();
        order("revive");
        fixture.insert("d", HELLO);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello");
    }

    /** A document in every table that holds any of it, and another one. */
    private void fill() throws Exception {
        fixture.insert("d", HELLO);
        fixture.insert("other", HELLO);
        fixture.sync();
        fixture.insert("d", BANG);
        fixture.insert("d", Updates.append(5, "x"));
        fixture.insert("d", UNKNOWN_CONTENT);
        fixture.insert("other", UNKNOWN_CONTENT);
        fixture.sync();
    }

    /** What an editor and a broken app send of a document that is forgotten. */
    private void late() throws Exception {
        fixture.insert("d", HELLO);
        fixture.insert("d", YOU);
        fixture.insert("d", UNKNOWN_CONTENT);
        fixture.insert(fixture.op("d", "no-format", hex(HELLO), null));
        fixture.insert(fixture.op("d", null, null, "{}"));
        fixture.sync();
    }

    private String tombstone() throws SQLException {
        return fixture.one(
                "select case when revived_at is null then 'in force, ' else 'revived, ' end"
                        + " || case when error is null then 'erased' else 'not erased' end from crdt.forgotten where doc = 'd'");
    }

    private long order(String name) throws SQLException {
        return order(name, "d");
    }

    /** Inserts the row, without what else its INSERT does, and hands it on as the slot would. */
    private long order(String name, String doc) throws SQLException {
        fixture.database.execute("set session_replication_role = replica;"
                + " insert into crdt.command (name, doc) values ('" + name + "', '" + doc + "')");
        long id = Long.parseLong(fixture.one("select max(id) from crdt.command"));
        fixture.command(command(id, name, doc));
        return id;
    }

    private static Command command(long id, String name, String doc) {
        return new Command(id, name, "default", doc, Command.NONE, null, null);
    }
}
