package dev.walmerge.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.engine.testing.SidecarLogin;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An app's own table gets the text and JSON of its documents, and nothing that happens to it stops a document. */
final class EngineTargetTest {
    private static final String HELLO = "01010100040101740568656c6c6f00";
    private static final String YOU = "010101058401040420796f7500";
    private static final String ONE = "11111111-1111-1111-1111-111111111111";
    private static final String TWO = "22222222-2222-2222-2222-222222222222";

    @TempDir
    Path journal;

    private EngineFixture fixture;
    private SidecarLogin login;

    @BeforeEach
    void start() throws Exception {
        fixture = new EngineFixture(journal);
        login = SidecarLogin.create(fixture.database);
        fixture.database.execute("""
                create table public.posts (
                  id int generated always as identity primary key, key uuid unique not null, title text,
                  body_text text, body_json jsonb,
                  words int generated always as (cardinality(string_to_array(body_text, ' '))) stored);
                create index on public.posts using gin (to_tsvector('english', body_text));
                insert into public.posts (key, title) values ('%s', 'first')""".formatted(ONE));
        fixture.start(fixture.settings().build(), Policy.defaults(), login::connect);
    }

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    @Test
    void rowsThatAreThereAndRowsThatAppearAreFilled() throws Exception {
        fixture.insert(ONE, HELLO);
        fixture.insert(TWO, HELLO);
        fixture.insert("no uuid at all", HELLO);
        fixture.sync();
        setTarget();
        eventually(ONE, "hello null 1");
        fixture.insert(ONE, YOU);
        fixture.sync();
        eventually(ONE, "hello you null 2");
        fixture.database.execute("insert into public.posts (key) values ('" + TWO + "')");
        eventually(TWO, "hello null 1");
        fixture.eventually("nothing waits", () -> "0".equals(waiting()));
        assertThat(fixture.one("select count(*) from public.posts")).isEqualTo("2");
        assertThat(fixture.one("select title from public.posts where key = '" + ONE + "'"))
                .isEqualTo("first");
    }

    /** The app inserted the row before the document was written, and commits after that. */
    @Test
    void aRowThatIsCommittedLateIsFilled() throws Exception {
        setTarget();
        try (Connection app = fixture.database.connect();
                Statement statement = app.createStatement()) {
            app.setAutoCommit(false);
            statement.execute("insert into public.posts (key) values ('" + TWO + "')");
            fixture.insert(TWO, HELLO);
            fixture.sync();
            fixture.eventually("it was looked for", () -> "0".equals(waiting()));
            app.commit();
        }
        eventually(TWO, "hello null 1");
    }

    @Test
    void aLockedRowWaitsAlone() throws Exception {
        fixture.database.execute("insert into public.posts (key) values ('" + TWO + "')");
        setTarget();
        try (Connection app = fixture.database.connect();
                Statement statement = app.createStatement()) {
            app.setAutoCommit(false);
            statement.execute("update public.posts set title = 'mine' where key = '" + ONE + "'");
            fixture.insert(ONE, HELLO);
            fixture.insert(TWO, HELLO);
            fixture.sync();
            eventually(TWO, "hello null 1");
            assertThat(row(ONE)).isEqualTo("null null null");
            fixture.eventually("it says so", () -> "1".equals(fixture.one("select failing from crdt.target_lag")));
            app.commit();
        }
        eventually(ONE, "hello null 1");
        assertThat(fixture.one("select title from public.posts where key = '" + ONE + "'"))
                .isEqualTo("mine");
    }

    @Test
    void aRowThatIsRefusedWaitsAlone() throws Exception {
        fixture.database.execute("insert into public.posts (key) values ('" + TWO + "')");
        fixture.database.execute("alter table public.posts add constraint no_greeting check (key <> '" + ONE
                + "' or body_text <> 'hello')");
        setTarget();
        fixture.insert(ONE, HELLO);
        fixture.insert(TWO, HELLO);
        fixture.sync();
        eventually(TWO, "hello null 1");
        fixture.eventually(
                "the reason",
                () -> "23514: a constraint refuses it".equals(fixture.one("select error from crdt.target_lag")));
        // What it says next may be allowed.
        fixture.insert(ONE, YOU);
        fixture.sync();
        eventually(ONE, "hello you null 2");
        fixture.eventually("nothing waits", () -> "0".equals(waiting()));
    }

    @Test
    void triggersAndPoliciesOfTheAppGoOnWorking() throws Exception {
        fixture.database.execute("""
                create table public.seen (key uuid, text text);
                create function public.see() returns trigger language plpgsql security definer as
                  'begin insert into public.seen values (new.key, new.body_text); return new; end';
                create trigger see before update on public.posts for each row execute function public.see();
                alter table public.posts enable row level security""");
        assertThatThrownBy(this::setTarget).isInstanceOf(SQLException.class).hasMessageContaining("row security hides");
        fixture.database.execute(
                "create policy walmerge on public.posts to crdt_sidecar using (true) with check (true)");
        setTarget();
        fixture.insert(ONE, HELLO);
        fixture.sync();
        eventually(ONE, "hello null 1");
        fixture.insert(ONE, HELLO);
        fixture.sync();
        fixture.eventually("nothing waits", () -> "0".equals(waiting()));
        assertThat(fixture.one("select string_agg(text, ',') from public.seen"))
                .as("what did not change is not updated")
                .isEqualTo("hello");
    }

    /** The app's role has no right at all in our schema. */
    @Test
    void anyRoleMayInsertARow() throws Exception {
        setTarget();
        fixture.insert(TWO, HELLO);
        fixture.sync();
        String role = fixture.database.name() + "_app";
        fixture.database.execute("create role " + role + "; grant insert on public.posts to " + role + "; set role "
                + role + "; insert into public.posts (key) values ('" + TWO + "')");
        eventually(TWO, "hello null 1");
        assertThatThrownBy(() -> fixture.database.execute("set role " + role + "; select from crdt.target_queue"))
                .hasMessageContaining("permission denied");
    }

    /** 1 and 01 are one number, but two documents. */
    @Test
    void aRowIsThatOfOneDocument() throws Exception {
        fixture.database.execute("""
                create schema "An odd ""name";
                create table "An odd ""name"."Notes" ("a key" bigint primary key, "its text" text);
                insert into "An odd ""name"."Notes" values (1);
                select crdt.set_target('"An odd ""name"."Notes"', 'a key', 'its text')""");
        fixture.insert("01", HELLO);
        fixture.insert(" 1", HELLO);
        fixture.sync();
        fixture.eventually("nothing waits", () -> "0".equals(waiting()));
        assertThat(fixture.one("select \"its text\" from \"An odd \"\"name\".\"Notes\""))
                .isNull();
        fixture.insert("1", HELLO);
        fixture.sync();
        fixture.eventually(
                "filled", () -> "hello".equals(fixture.one("select \"its text\" from \"An odd \"\"name\".\"Notes\"")));
    }

    @Test
    void anAppThatRenamesTheKeyIsNotHeldUp() throws Exception {
        setTarget();
        fixture.database.execute("alter table public.posts rename column key to id2");
        fixture.database.execute("insert into public.posts (id2) values ('" + TWO + "')");
        fixture.insert(ONE, HELLO);
        fixture.sync();
        assertThat(fixture.one("select failing || error from crdt.target_lag")).startsWith("1the table or its key");
        fixture.database.execute("select crdt.set_target('public.posts', 'id2', 'body_text', 'body_json')");
        fixture.eventually(
                "filled",
                () -> "hello".equals(fixture.one("select body_text from public.posts where id2 = '" + ONE + "'")));
    }

    @Test
    void itEndsWhenItIsDroppedAndWhenTheTableIs() throws Exception {
        fixture.insert(ONE, HELLO);
        fixture.sync();
        setTarget();
        eventually(ONE, "hello null 1");
        fixture.database.execute("select crdt.drop_target()");
        fixture.insert(ONE, YOU);
        fixture.sync();
        assertThat(waiting()).isEqualTo("0");
        assertThat(row(ONE)).isEqualTo("hello null 1");
        setTarget();
        eventually(ONE, "hello you null 2");
        fixture.database.execute("drop table public.posts");
        fixture.insert(ONE, "010101098401080121 00");
        fixture.sync();
        assertThat(fixture.text(ONE)).isEqualTo("hello you!");
        fixture.eventually("nothing waits", () -> "0".equals(waiting()));
        assertThat(fixture.one("select failing || error from crdt.target_lag")).startsWith("1the table or");
        fixture.database.execute("select crdt.drop_target()");
    }

    @Test
    void aForgottenDocumentLeavesItsRow() throws Exception {
        fixture.database.execute(
                "insert into public.posts (key, body_text) values ('" + TWO + "', 'the app wrote it')");
        fixture.insert(ONE, HELLO);
        fixture.sync();
        setTarget();
        eventually(ONE, "hello null 1");
        String order = fixture.one("with o as (select from crdt.forget('" + ONE + "')) select count(*)::text from o");
        assertThat(Integer.parseInt(order)).isPositive();
        long id = Long.parseLong(fixture.one("select max(id) from crdt.command"));
        fixture.command(new Command(id, Command.FORGET, "default", ONE, Command.NONE, null, null));
        fixture.sync();
        eventually(ONE, "null null null");
        fixture.database.execute("update public.posts set key = key where key = '" + TWO + "'");
        fixture.eventually("nothing waits", () -> "0".equals(waiting()));
        assertThat(row(TWO)).as("never had a document").isEqualTo("the app wrote it null 4");
    }

    @Test
    void whatCanNotBeATargetIsRefused() throws SQLException {
        assertRefused("'public.posts', 'key'", "needs a column");
        assertRefused("'public.posts', 'key', 'nothing'", "no column");
        assertRefused("'public.posts', 'key', 'words'", "can't hold it");
        assertRefused("'public.posts', 'key', json_column => 'title'", "can't hold it");
        assertRefused("'public.posts', 'title', 'body_text'", "needs an index");
        assertRefused("'crdt.docs', 'doc', 'body_text'", "no table of an app");
        assertRefused("'public.posts', 'key', 'body_text', null, 'other'", "no collection");
    }

    private void assertRefused(String arguments, String why) {
        assertThatThrownBy(() -> fixture.database.execute("select crdt.set_target(" + arguments + ")"))
                .hasMessageContaining(why);
    }

    private void setTarget() throws SQLException {
        fixture.database.execute(
                "select crdt.set_target('public.posts', key => 'key', text_column => 'body_text', json_column => 'body_json')");
    }

    private String waiting() throws SQLException {
        return fixture.one("select count(*) from crdt.target_queue");
    }

    private String row(String key) throws SQLException {
        return fixture.one("select concat_ws(' ', coalesce(body_text, 'null'), coalesce(body_json::text, 'null'),"
                + " coalesce(words::text, 'null')) from public.posts where key = '" + key + "'");
    }

    private void eventually(String key, String row) {
        fixture.eventually(row, () -> row.equals(row(key)));
    }
}
