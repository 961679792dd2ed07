package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each role may do, and everything it must not. */
final class AccessTest {
    private static final Database DATABASE = PostgresServer.shared().createInstalledDatabase();
    private static final String INSERT_DOC =
            "insert into crdt.docs (doc, version, epoch, body_text, complete, merged_lsn,"
                    + " op_count, staleness, staleness_bound, updated_at) values ('a', 1, 1, 'hello', true, '0/1', 1, '0 s',"
                    + " 'debounce', now()) on conflict do nothing";

    @BeforeAll
    static void fill() throws SQLException {
        DATABASE.execute("insert into crdt.progress values ('walmerge', '1', 1, gen_random_uuid(), 1, 'FFFF/0', now());"
                + "create role nobody_special");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            crdt_writer   | insert into crdt.ops (doc, update) values ('a', 'x') returning id
            crdt_writer   | insert into crdt.ops (doc, update, format) values ('a', 'x', 'yjs-v2')
            crdt_writer   | insert into crdt.ops (doc, op) values ('a', '{"at": 0, "insert": "x"}')
            crdt_writer   | select id from crdt.ops
            crdt_writer   | call crdt.sync('1 s')
            crdt_writer   | call crdt.wait_for('0/1')
            crdt_writer   | select crdt.barrier('a')
            crdt_reader   | select * from crdt.docs where crdt.tsv(body_text) @@ 'hello' and not crdt.tsv_cut(body_text)
            crdt_reader   | select * from crdt.ydoc, crdt.tail, crdt.parked, crdt.held, crdt.collection
            crdt_reader   | select * from crdt.load('a')
            crdt_writer   | update crdt.docs set language = 'german' where doc = 'a'
            crdt_reader   | select * from crdt.blocks, crdt.search('hello')
            crdt_reader   | select * from crdt.docs where crdt.tsv('german', body_text) @@ crdt.query('german', 'x')
            crdt_operator | insert into crdt.command (name, doc) values ('reproject', 'a')
            crdt_sidecar  | insert into crdt.blocks values ('a', 'b', 1, 'p', 'p', 'x')
            crdt_reader   | select * from crdt.lag
            crdt_reader   | select * from crdt.health
            crdt_reader   | call crdt.sync('1 s', 'a')
            crdt_operator | select * from crdt.docs, crdt.dead_letter, crdt.progress, crdt.migration, crdt.lag, crdt.health
            crdt_operator | select crdt.alter_collection(fold_rows => 65)
            crdt_operator | call crdt.sync()
            crdt_operator | insert into crdt.command (name, collection, doc, dead_letter, rule, format) values ('retry-dead-letter', 'default', 'a', 1, 'r', 'yjs-v2')
            crdt_operator | select * from crdt.command, crdt.held
            crdt_operator | select place from crdt.forget('a')
            crdt_operator | select count(*) from crdt.forget_report('a'), crdt.forgotten
            crdt_operator | insert into crdt.command (name, doc) values ('forget', 'b')
            crdt_sidecar  | insert into crdt.forgotten values ('default', 'c', now(), null, '0/0', null)
            crdt_sidecar  | update crdt.command set done_at = now() where id = any ('{1}')
            crdt_operator | select * from crdt.load('a') where crdt.tsv('x') is not null
            crdt_sidecar  | select * from crdt.ops, crdt.ops_7, crdt.collection, crdt.migration, crdt.lag, crdt.health
            crdt_sidecar  | truncate crdt.ops_7
            crdt_sidecar  | begin; lock table crdt.ops_7 in access exclusive mode; truncate crdt.ops_7; rollback
            crdt_sidecar  | select last_value, setval('crdt.ops_id_seq', last_value + 1) from crdt.ops_id_seq
            crdt_sidecar  | insert into crdt.dead_letter (collection, doc, lsn, seq, rule, reason) values ('default', 'a', '0/1', 1, 'r', 'x')
            crdt_sidecar  | update crdt.progress set nonce = gen_random_uuid() where slot = 'walmerge'
            crdt_sidecar  | delete from crdt.tail where doc = 'a'
            """)
    void mayDoItsWork(String role, String sql) throws SQLException {
        DATABASE.execute(INSERT_DOC);
        try (Session session = Session.as(DATABASE, role)) {
            assertThatCode(() -> session.run(sql)).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            crdt_writer    | insert into crdt.ops (id, doc, update) overriding system value values (1, 'a', 'x')
            crdt_writer    | insert into crdt.ops (doc, update, at) values ('a', 'x', now())
            crdt_writer    | insert into crdt.ops (doc, update, role) values ('a', 'x', 'ceo')
            crdt_writer    | insert into crdt.ops_0 (doc, update) values ('a', 'x')
            crdt_writer    | select doc from crdt.ops
            crdt_writer    | select * from crdt.ops
            crdt_writer    | update crdt.ops set doc = 'b'
            crdt_writer    | delete from crdt.ops
            crdt_writer    | truncate crdt.ops
            crdt_writer    | select * from crdt.docs
            crdt_writer    | select * from crdt.load('a')
            crdt_writer    | select body_text from crdt.docs
            crdt_writer    | update crdt.docs set body_text = 'x'
            crdt_writer    | select * from crdt.blocks
            crdt_reader    | update crdt.docs set language = 'german'
            crdt_operator  | delete from crdt.blocks
            crdt_operator  | select crdt.alter_collection(search_trigram => true)
            nobody_special | select * from crdt.search('x')
            crdt_writer    | select nonce from crdt.progress
            crdt_writer    | update crdt.progress set written = 'FFFF/FFFF'
            crdt_writer    | select * from crdt.dead_letter
            crdt_writer    | select setval('crdt.ops_id_seq', 1)
            crdt_writer    | select crdt.alter_collection(fold_rows => 1)
            crdt_writer    | insert into crdt.collection (name) values ('x')
            crdt_writer    | create table crdt.mine (i int)
            crdt_reader    | insert into crdt.ops (doc, update) values ('a', 'x')
            crdt_reader    | select id from crdt.ops
            crdt_reader    | update crdt.docs set body_text = ''
            crdt_reader    | delete from crdt.ydoc
            crdt_reader    | select * from crdt.dead_letter
            crdt_reader    | select system_identifier from crdt.progress
            crdt_reader    | select crdt.alter_collection(fold_rows => 1)
            crdt_reader    | create table crdt.mine (i int)
            crdt_operator  | insert into crdt.collection (name, created_by) values ('default', 'ceo')
            crdt_operator  | update crdt.collection set fold_rows = 1
            crdt_operator  | delete from crdt.collection
            crdt_operator  | insert into crdt.command (name, rule, created_by) values ('discard-dead-letter', 'r', 'ceo')
            crdt_operator  | update crdt.command set done_at = now()
            crdt_operator  | delete from crdt.command
            crdt_operator  | delete from crdt.held
            crdt_operator  | delete from crdt.forgotten
            crdt_operator  | insert into crdt.forgotten values ('default', 'a', now(), null, '0/0', null)
            crdt_operator  | delete from crdt.ops where doc = 'a'
            crdt_reader    | select * from crdt.forgotten
            crdt_reader    | select crdt.forget('a')
            crdt_writer    | select crdt.forget('a')
            crdt_writer    | select crdt.revive('a')
            crdt_sidecar   | select crdt.forget('a')
            nobody_special | select crdt.forget_report('a')
            nobody_special | insert into crdt.command (name, doc) values ('forget', 'a')
            crdt_reader    | insert into crdt.command (name, rule) values ('discard-dead-letter', 'r')
            crdt_writer    | insert into crdt.command (name, rule) values ('discard-dead-letter', 'r')
            crdt_sidecar   | insert into crdt.command (name, rule) values ('discard-dead-letter', 'r')
            crdt_sidecar   | update crdt.command set name = 'discard-dead-letter'
            crdt_operator  | insert into crdt.ops (doc, update) values ('a', 'x')
            crdt_operator  | select * from crdt.ops
            crdt_operator  | delete from crdt.dead_letter
            crdt_operator  | update crdt.progress set epoch = 9
            crdt_operator  | update crdt.docs set body_text = ''
            crdt_operator  | truncate crdt.ops_0
            crdt_operator  | delete from crdt.migration
            crdt_sidecar   | insert into crdt.ops (doc, update) values ('a', 'x')
            crdt_sidecar   | update crdt.ops set doc = 'b'
            crdt_sidecar   | delete from crdt.ops
            crdt_sidecar   | truncate crdt.ops
            crdt_sidecar   | truncate crdt.docs
            crdt_sidecar   | insert into crdt.collection (name) values ('default')
            crdt_sidecar   | select crdt.alter_collection(fold_rows => 1)
            crdt_sidecar   | delete from crdt.migration
            crdt_sidecar   | drop table crdt.ops_0
            crdt_sidecar   | alter publication walmerge drop table crdt.ops
            crdt_sidecar   | create table crdt.mine (i int)
            nobody_special | select * from crdt.docs
            nobody_special | select crdt.tsv('x')
            nobody_special | select crdt.barrier()
            nobody_special | call crdt.sync()
            nobody_special | select * from crdt.health
            nobody_special | insert into crdt.ops (doc, update) values ('a', 'x')
            """)
    void mustNotDoMore(String role, String sql) throws SQLException {
        try (Session session = Session.as(DATABASE, role)) {
            SQLException refused = catchThrowableOfType(SQLException.class, () -> session.run(sql));
            assertThat((Throwable) refused).as(sql).isNotNull();
            assertThat(refused.getSQLState())
                    .as(sql + ": " + refused.getMessage())
                    .isEqualTo("42501");
        }
    }

    @Test
    void theServerFillsInWhatIsNotGranted() throws SQLException {
        try (Session writer = Session.as(DATABASE, "crdt_writer");
                Session owner = new Session(DATABASE)) {
            String id = writer.value("insert into crdt.ops (doc, update) values ('mine', 'x') returning id");
            assertThat(owner.value("select role || (at > now() - interval '1 minute') from crdt.ops where id = " + id))
                    .isEqualTo("crdt_writertrue");
        }
    }

    @Test
    void theLogOfSettingsSaysWhoChangedThem() throws SQLException {
        try (Session operator = Session.as(DATABASE, "crdt_operator")) {
            String version = operator.value("select crdt.alter_collection(fold_rows => 66)");
            assertThat(operator.value("select created_by from crdt.collection where version = " + version))
                    .isEqualTo("crdt_operator");
        }
    }
}
