package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HealthTest {
    private final Database database = PostgresServer.shared().createInstalledDatabase();
    private final String slot = database.name();
    private Session session;

    @BeforeEach
    void connect() throws SQLException {
        session = new Session(database);
    }

    @AfterEach
    void disconnect() throws SQLException {
        session.close();
    }

    private String severity(String check) throws SQLException {
        return session.value("select severity from crdt.health where name = '" + check + "'");
    }

    private String finding(String check) throws SQLException {
        return session.value("select finding from crdt.health where name = '" + check + "'");
    }

    private void start() throws SQLException {
        session.run("insert into crdt.progress values ('" + slot
                + "', '1', 1, gen_random_uuid(), 1, pg_current_wal_insert_lsn(), now())");
    }

    @Test
    void aFreshDatabaseHasEverythingButASidecar() throws SQLException {
        assertThat(session.rows("select name, severity from crdt.health order by seq"))
                .containsExactly(
                        "wal_level|ok",
                        "sidecar_started|warning",
                        "publication|ok",
                        "dead_letters|ok",
                        "documents|ok",
                        "held|ok",
                        "ring|ok",
                        "rights|ok",
                        "left_slots|ok",
                        "targets|ok",
                        "forgotten|ok");
        assertThat(session.rows("select * from crdt.lag")).containsExactly("default|||||||0|");
    }

    @Test
    void aSlotThatIsGoneOrUnreadIsCritical() throws SQLException {
        start();
        assertThat(severity("slot_exists")).isEqualTo("critical");
        assertThat(session.rows("select 1 from crdt.health where name = 'slot_active'"))
                .isEmpty();
        session.value("select pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
        try {
            assertThat(severity("slot_exists")).isEqualTo("ok");
            assertThat(severity("slot_active")).isEqualTo("critical");
            assertThat(finding("slot_active")).isEqualTo("nobody is reading the slot \"" + slot + "\"");
            assertThat(severity("slot_wal_status")).isEqualTo("ok");
            assertThat(severity("slot_retained")).isEqualTo("ok");
            session.run("insert into crdt.ops (doc, update) select 'a', '\\x00' from generate_series(1, 1000)");
            assertThat(session.value("select bytes_behind > 10000 and seconds_behind >= 0 and collection = 'default'"
                            + " and confirmed is not null from crdt.lag"))
                    .isEqualTo("t");
        } finally {
            session.run("select pg_drop_replication_slot('" + slot + "')");
        }
    }

    @Test
    void aSlotOfAnEarlierSidecarIsNamedWithItsCure() throws SQLException {
        start();
        session.run("insert into crdt.progress select '" + slot
                + "_old', '1', 1, gen_random_uuid(), 1, '0/1', now() - interval '1 h'");
        assertThat(severity("left_slots")).as("its slot is gone").isEqualTo("ok");
        session.value("select pg_create_logical_replication_slot('" + slot + "_old', 'pgoutput')");
        assertThat(severity("left_slots")).isEqualTo("warning");
        assertThat(finding("left_slots")).startsWith("nobody reads the slot \"" + slot + "_old\", it keeps ");
        String cure = session.value("select cure from crdt.health where name = 'left_slots'");
        session.run(cure.substring(cure.indexOf("select")));
        assertThat(severity("left_slots")).isEqualTo("ok");
        assertThat(session.value("select count(*) from crdt.progress")).isEqualTo("1");
    }

    @Test
    void whatTheSidecarSaysOfItselfIsCritical() throws SQLException {
        start();
        assertThat(severity("writing")).isEqualTo("ok");
        session.run("update crdt.progress set failing = 'write-back fails: SQLSTATE 42501', failing_since = now()");
        assertThat(severity("writing")).isEqualTo("critical");
        assertThat(finding("writing")).endsWith("write-back fails: SQLSTATE 42501");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "revoke select on crdt.tail from crdt_sidecar | select on crdt.tail",
                "revoke insert on crdt.dead_letter from crdt_sidecar | insert on crdt.dead_letter",
                "revoke truncate on crdt.ops_3 from crdt_sidecar | truncate on crdt.ops_3",
                "revoke update (done_at) on crdt.command from crdt_sidecar | update (done_at) on crdt.command",
                "revoke update on sequence crdt.ops_id_seq from crdt_sidecar | update on sequence crdt.ops_id_seq",
                "revoke execute on function crdt.tsv(text) from crdt_sidecar | execute on function crdt.tsv(text)",
                "revoke usage on schema crdt from crdt_sidecar | usage on schema crdt",
                "revoke select on crdt.tail from crdt_sidecar; grant select (doc, seq) on crdt.tail to crdt_sidecar"
                        + " | select on crdt.tail",
            })
    void aRightThatTheSidecarLacksIsNamedWithItsCure(String breaking, String right) throws SQLException {
        session.run(breaking);
        assertThat(severity("rights")).isEqualTo("critical");
        assertThat(finding("rights")).isEqualTo("the role \"crdt_sidecar\" lacks " + right);
        session.run(session.value("select split_part(cure, ';', 1) from crdt.health where name = 'rights'"));
        assertThat(severity("rights")).isEqualTo("ok");
    }

    @Test
    void aTableThatIsGoneIsNamed() throws SQLException {
        session.run("alter table crdt.tail rename to tail_old");
        assertThat(finding("rights")).endsWith("lacks crdt.tail, which is gone");
        session.run("alter table crdt.tail_old rename to tail");
        session.run("revoke insert on crdt.docs from crdt_sidecar;"
                + " grant insert (doc, version, epoch, body_text, body_json, complete, missing, merged_lsn, op_count, staleness,"
                + " staleness_bound, updated_at, warning, error, language, search_cut) on crdt.docs to crdt_sidecar");
        assertThat(severity("rights")).as("each column that can be inserted").isEqualTo("ok");
    }

    @Test
    void aPublicationThatLacksSomethingIsCritical() throws SQLException {
        session.run("alter publication walmerge drop table crdt.collection");
        assertThat(severity("publication")).isEqualTo("critical");
        session.run("alter publication walmerge set table crdt.ops where (id > 5), crdt.collection, crdt.command");
        assertThat(finding("publication")).contains("filters");
        session.run("alter publication walmerge set table crdt.ops, crdt.collection, crdt.command");
        assertThat(severity("publication")).isEqualTo("ok");
        session.run("alter publication walmerge set (publish_via_partition_root = false)");
        assertThat(finding("publication")).contains("via the root");
        session.run("drop publication walmerge");
        assertThat(finding("publication")).isEqualTo("there is no publication \"walmerge\"");
    }

    @Test
    void deadLettersAndFailedDocumentsAreCounted() throws SQLException {
        session.run("insert into crdt.dead_letter (collection, doc, lsn, seq, rule, reason) values"
                + " ('default', 'a', '0/1', 1, 'r', 'x'), ('default', 'a', '0/1', 2, 'r', 'x')");
        session.run(
                "insert into crdt.docs (doc, version, epoch, complete, merged_lsn, op_count, staleness,"
                        + " staleness_bound, updated_at, error) values ('a', 1, 1, true, '0/1', 1, '0 s', 'debounce', now(), 'x')");
        assertThat(severity("dead_letters")).isEqualTo("warning");
        assertThat(finding("dead_letters")).startsWith("2 ops were refused");
        assertThat(finding("documents")).isEqualTo("1 documents have an error");
        assertThat(session.value("select dead_letters || '|' || (oldest_dead_letter <= now()) from crdt.lag"))
                .isEqualTo("2|true");
    }

    @Test
    void heldDocumentsAreCounted() throws SQLException {
        session.run("insert into crdt.held (doc, kind, seq, format, payload, merged_lsn, op_count, error) values"
                + " ('a', 'change', 1, 'yjs-v1', '\\x00', '0/1', 1, 'x'),"
                + " ('a', 'change', 2, 'yjs-v1', '\\x00', '0/2', 2, 'x'),"
                + " ('b', 'docs', 0, null, null, '0/1', 1, 'x')");
        assertThat(severity("held")).isEqualTo("warning");
        assertThat(finding("held")).startsWith("2 documents can't be written, the oldest since ");
    }

    @Test
    void aRingThatIsNotTrimmedIsSeen() throws SQLException {
        for (int leaf = 0; leaf < 7; leaf++) {
            session.run("select setval('crdt.ops_id_seq', " + ((long) leaf << 20) + " + 1)");
            session.run("insert into crdt.ops (doc, update) values ('a', '\\x00')");
        }
        assertThat(severity("ring")).isEqualTo("warning");
        assertThat(finding("ring")).isEqualTo("7 of 8 leaves of the op ring hold rows");
        session.run("truncate crdt.ops_0");
        assertThat(severity("ring")).isEqualTo("ok");
    }
}
