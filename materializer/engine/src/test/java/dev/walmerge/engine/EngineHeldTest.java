package dev.walmerge.engine;

import static dev.walmerge.engine.Updates.BANG;
import static dev.walmerge.engine.Updates.HELLO;
import static dev.walmerge.engine.Updates.QUESTION;
import static dev.walmerge.engine.Updates.YOU;
import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.engine.writeback.DocumentKey;
import dev.walmerge.engine.writeback.DocumentStore;
import dev.walmerge.engine.writeback.ParkedUpdate;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Documents that Postgres does not let us write, from the sink to the tables. */
final class EngineHeldTest {
    private static final Patience SHORT = new Patience(200, 50, 400);
    private static final Policy FOLD_AT_ONCE = foldRows(1);

    @TempDir
    Path journal;

    private EngineFixture fixture;

    @BeforeEach
    void open() throws Exception {
        fixture = new EngineFixture(journal);
        fixture.start(settings(), Policy.defaults());
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private EngineSettings settings() {
        return fixture.settings().patience(SHORT).build();
    }

    @Test
    void aRowThatSomeoneHasLockedStopsNobodyElse() throws Exception {
        fixture.insert("d", HELLO);
        fixture.sync();
        try (Connection other = fixture.database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select from crdt.ydoc where doc = 'd' for update");
            statement.execute("select from crdt.docs where doc = 'd' for update");
            // A tail row needs no lock on the ydoc row: a fold does.
            fixture.policy(FOLD_AT_ONCE);
            fixture.insert("d", YOU);
            fixture.sync();
            fixture.insert("d", BANG);
            for (int i = 0; i < 20; i++) {
                fixture.insert("other-" + i, HELLO);
            }
            fixture.sync();
            fixture.insert("d", QUESTION);
            fixture.sync();
            assertThat(fixture.one("select count(*) from crdt.docs where body_text = 'hello' and doc <> 'd'"))
                    .isEqualTo("20");
            assertThat(fixture.text("d")).isEqualTo("hello");
            assertThat(loaded("d")).isEqualTo("hello you!?");
            fixture.restart(settings(), FOLD_AT_ONCE);
            fixture.insert("late", HELLO);
            fixture.sync();
            assertThat(fixture.text("late")).isEqualTo("hello");
        }
        recovered("d", "hello you!?");
        assertThat(fixture.one("select op_count from crdt.docs where doc = 'd'"))
                .isEqualTo("4");
    }

    @Test
    void aNewDocumentIsHeldUntilItsFirstRowCanBeWritten() throws Exception {
        refuse("crdt.ydoc", "new.doc = 'd'");
        fixture.insert("d", HELLO);
        fixture.insert("e", HELLO);
        fixture.sync();
        fixture.insert("d", YOU);
        fixture.sync();
        assertThat(fixture.one("select count(*) from crdt.ydoc where doc = 'd'"))
                .isEqualTo("0");
        assertThat(fixture.text("d"))
                .as("its ops are safe, so the text may be new")
                .isEqualTo("hello you");
        assertThat(fixture.one("select error from crdt.docs where doc = 'd'"))
                .isEqualTo("held P0001: a trigger raised an error");
        assertThat(fixture.text("e")).isEqualTo("hello");
        assertThat(fixture.one("select count(*) from crdt.load('d')")).isEqualTo("2");
        fixture.engine.close();
        fixture.start(settings(), Policy.defaults());
        fixture.insert("d", BANG);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello you!");
        assertThat(fixture.one("select op_count from crdt.docs where doc = 'd'"))
                .isEqualTo("3");
        drop("crdt.ydoc");
        recovered("d", "hello you!");
        fixture.restart(settings(), Policy.defaults());
        fixture.insert("d", QUESTION);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello you!?");
        assertThat(loaded("d")).isEqualTo("hello you!?");
    }

    @Test
    void aHeldDocumentThatIsEvictedComesBackByItself() throws Exception {
        fixture.restart(fixture.settings().patience(SHORT).memoryBytes(1).build(), Policy.defaults());
        fixture.insert("d", HELLO);
        fixture.sync();
        // A try that comes with a new state must fail, too.
        refuse("crdt.tail", "new.doc = 'd'");
        refuse("crdt.ydoc", "new.doc = 'd'");
        fixture.insert("d", YOU);
        fixture.sync();
        fixture.insert("other", HELLO);
        fixture.sync();
        assertThat(fixture.one("select count(*) from crdt.held where doc = 'd'"))
                .isEqualTo("1");
        drop("crdt.tail");
        drop("crdt.ydoc");
        recovered("d", "hello you");
    }

    @Test
    void aStateThatIsRefusedLetsTailsThrough() throws Exception {
        fixture.policy(FOLD_AT_ONCE);
        fixture.insert("d", HELLO);
        fixture.sync();
        refuse("crdt.ydoc", "tg_op = 'UPDATE'");
        fixture.insert("d", YOU);
        fixture.sync();
        fixture.insert("d", BANG);
        fixture.sync();
        fixture.eventually(
                "in the tail",
                () -> fixture.one("select count(*) from crdt.held").equals("0")
                        && fixture.one("select count(*) from crdt.tail").equals("2"));
        fixture.eventually("no error", () -> fixture.one("select error from crdt.docs") == null);
        drop("crdt.ydoc");
        fixture.eventually("folded", () -> {
            fixture.insert("d", HELLO);
            fixture.sync();
            return fixture.one("select count(*) from crdt.tail").equals("0");
        });
        recovered("d", "hello you!");
    }

    @Test
    void whatWaitsForAnEarlierUpdateIsHeldToo() throws Exception {
        fixture.insert("d", HELLO);
        fixture.sync();
        refuse("crdt.parked", "true");
        refuse("crdt.tail", "true");
        long early = fixture.insert("d", BANG);
        fixture.insert("d", QUESTION);
        fixture.sync();
        assertThat(fixture.one("select string_agg(kind, ' ') from crdt.held")).isEqualTo("parked parked");
        assertThat(fixture.one("select complete from crdt.docs")).isEqualTo("f");
        fixture.restart(settings(), Policy.defaults());
        drop("crdt.parked");
        fixture.eventually(
                "moved", () -> fixture.one("select count(*) from crdt.parked").equals("2"));
        try (DocumentStore store = new DocumentStore(fixture.database::connect)) {
            ParkedUpdate parked =
                    store.load(new DocumentKey("default", "d")).parked().get(0);
            assertThat(parked.lsn()).isEqualTo(early);
            assertThat(parked.payload()).isEqualTo(Updates.hex(BANG));
        }
        fixture.insert("d", YOU);
        fixture.sync();
        assertThat(fixture.text("d")).isEqualTo("hello you!?");
        assertThat(loaded("d")).isEqualTo("hello you!?");
        drop("crdt.tail");
        recovered("d", "hello you!?");
        assertThat(fixture.one("select count(*) from crdt.parked")).isEqualTo("0");
        assertThat(fixture.one("select complete from crdt.docs")).isEqualTo("t");
    }

    @Test
    void aYdocRowThatSomeoneDeletedIsMadeAnew() throws Exception {
        fixture.insert("d", HELLO);
        fixture.sync();
        fixture.database.execute("delete from crdt.ydoc");
        fixture.insert("d", YOU);
        fixture.sync();
        recovered("d", "hello you");
        assertThat(fixture.one("select count(*) from crdt.ydoc")).isEqualTo("1");
    }

    @Test
    void missingGrantsHoldEverythingUntilTheyAreBack() throws Exception {
        refuse("crdt.ydoc", "true");
        refuse("crdt.tail", "true");
        refuse("crdt.docs", "true");
        long end = 0;
        for (int i = 0; i < 300; i++) {
            end = fixture.insert("doc-" + i % 100, Updates.append(i / 100, "x"));
        }
        fixture.sync();
        assertThat(Lsn.isBefore(fixture.engine.writtenLsn(), end)).isFalse();
        assertThat(fixture.one("select count(*) from crdt.docs")).isEqualTo("0");
        drop("crdt.ydoc");
        drop("crdt.tail");
        drop("crdt.docs");
        fixture.eventually(
                "all written",
                () -> fixture.one("select count(*) from crdt.docs where body_text = 'xxx' and error is null")
                                .equals("100")
                        && fixture.one("select count(*) from crdt.held").equals("0"));
        assertThat(fixture.one("select sum(op_count) from crdt.docs")).isEqualTo("300");
    }

    private void refuse(String table, String when) throws SQLException {
        String name = table.replace('.', '_');
        fixture.database.execute("""
                create function crdt.refuse_%1$s() returns trigger language plpgsql as $$
                begin
                  if %2$s then raise exception 'no'; end if;
                  return new;
                end $$;
                create trigger refuse before insert or update on %3$s
                for each row execute function crdt.refuse_%1$s()""".formatted(name, when, table));
    }

    private void drop(String table) throws SQLException {
        fixture.database.execute("drop trigger refuse on " + table);
    }

    private void recovered(String doc, String text) throws Exception {
        fixture.eventually(
                "recovered",
                () -> fixture.one("select count(*) from crdt.held").equals("0")
                        && text.equals(fixture.text(doc))
                        && fixture.one("select error from crdt.docs where doc = '" + doc + "'") == null);
        assertThat(loaded(doc)).isEqualTo(text);
    }

    /** What a client sees that loads the document: not docs, but the rows it is made of. */
    private String loaded(String doc) throws Exception {
        return LoadedText.of(fixture.database, doc);
    }

    private static Policy foldRows(int rows) {
        Policy plain = Policy.defaults();
        return new Policy(
                plain.format(),
                plain.root(),
                plain.jsonForText(),
                plain.flushDebounce(),
                plain.flushInterval(),
                plain.walBudgetBytesPerSecond(),
                plain.stalenessMax(),
                0,
                0,
                rows,
                Duration.ofMinutes(1),
                plain.rotateAfter());
    }
}
