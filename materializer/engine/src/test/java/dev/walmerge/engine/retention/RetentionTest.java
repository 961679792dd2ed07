package dev.walmerge.engine.retention;

import static dev.walmerge.engine.testing.Rows.one;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.engine.testing.SidecarLogin;
import dev.walmerge.engine.writeback.DeadLetter;
import dev.walmerge.engine.writeback.DocumentWrite;
import dev.walmerge.engine.writeback.FencedException;
import dev.walmerge.engine.writeback.Lease;
import dev.walmerge.engine.writeback.TakeOver;
import dev.walmerge.engine.writeback.WriteBack;
import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.replication.LogSequenceNumber;

final class RetentionTest {
    private static final Duration NEVER = Duration.ofDays(1_000);
    private static final String LEAVE_LEAF_0 = "select setval('crdt.ops_id_seq', 1048576, false)";
    private static final List<DocumentWrite> NO_WRITES = List.of();
    private static final List<DeadLetter> NO_LETTERS = List.of();

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final SidecarLogin sidecar = SidecarLogin.create(database);
    private final AtomicLong written = new AtomicLong();
    private final AtomicBoolean streaming = new AtomicBoolean(true);
    private Connection connection;
    private WriteBack writeBack;
    private Retention retention;

    @BeforeEach
    void takeOver() throws SQLException {
        connection = sidecar.connect();
        Lease lease = TakeOver.takeOver(connection, "walmerge", "7", 1);
        writeBack = new WriteBack(sidecar::connect, lease, 2_000);
        retention = new Retention(lease, written::get, streaming::get);
    }

    @AfterEach
    void close() throws SQLException {
        writeBack.close();
        connection.close();
    }

    @Test
    void aLeafThatIsWrittenIsTrimmed() throws Exception {
        insert("a");
        assertThat(retention.run(connection, NEVER).isOpen()).isFalse();
        database.execute(LEAVE_LEAF_0);
        insert("b");
        assertThat(retention.run(connection, NEVER).noted()).containsExactly(0);
        everythingIsWritten();
        assertThat(retention.run(connection, NEVER).trimmed()).containsExactly(0);
        assertThat(docs()).isEqualTo("b");
        assertThat(retention.run(connection, NEVER).isOpen()).isFalse();
        assertThat(connection.getAutoCommit()).isTrue();
    }

    @Test
    void nothingIsTrimmedWhileWrittenLags() throws Exception {
        everythingIsWritten();
        insert("a");
        database.execute(LEAVE_LEAF_0);
        assertThat(retention.run(connection, NEVER).noted()).containsExactly(0);
        assertThat(retention.run(connection, NEVER).waiting()).containsExactly(0);

        // What this process believes is not enough: the progress row must say so.
        written.set(insertLsn());
        assertThat(retention.run(connection, NEVER).waiting()).containsExactly(0);
        assertThat(docs()).isEqualTo("a");
        everythingIsWritten();
        assertThat(retention.run(connection, NEVER).trimmed()).containsExactly(0);
    }

    /** A takes id 1, B takes 2 and commits first; the leaf is left while A is still open. */
    @Test
    void aLowerIdThatCommitsLaterIsNotLost() throws Exception {
        try (Connection a = database.connect();
                Statement statement = a.createStatement()) {
            a.setAutoCommit(false);
            statement.execute("insert into crdt.ops (doc, update) values ('a', '\\x0000')");
            insert("b");
            database.execute(LEAVE_LEAF_0);
            everythingIsWritten();
            Round round = retention.run(connection, NEVER);
            assertThat(round.busy()).containsExactly(0);
            assertThat(round.noted()).isEmpty();
            a.commit();
        }
        // Written up to B, not to A.
        assertThat(retention.run(connection, NEVER).noted()).containsExactly(0);
        assertThat(retention.run(connection, NEVER).trimmed()).isEmpty();
        assertThat(docs()).isEqualTo("a b");
        everythingIsWritten();
        assertThat(retention.run(connection, NEVER).trimmed()).containsExactly(0);
    }

    /** A has its id, but inserts only after the leaf was noted. */
    @Test
    void aRowThatComesAfterTheNoteStartsItOver() throws Exception {
        insert("b");
        database.execute(LEAVE_LEAF_0);
        assertThat(retention.run(connection, NEVER).noted()).containsExactly(0);
        everythingIsWritten();
        try (Connection a = database.connect();
                Statement statement = a.createStatement()) {
            a.setAutoCommit(false);
            statement.execute(
                    "insert into crdt.ops (id, doc, update) overriding system value values (0, 'a', '\\x0000')");
            assertThat(retention.run(connection, NEVER).busy()).containsExactly(0);
            a.commit();
        }
        assertThat(retention.run(connection, NEVER).noted()).containsExactly(0);
        assertThat(retention.run(connection, NEVER).waiting()).containsExactly(0);
        assertThat(docs()).isEqualTo("a b");
        everythingIsWritten();
        assertThat(retention.run(connection, NEVER).trimmed()).containsExactly(0);
    }

    @Test
    void anOldLeafIsLeftAndTrimmed() throws Exception {
        assertThat(retention.run(connection, Duration.ZERO).rotated()).isFalse();
        insert("a");
        assertThat(retention.run(connection, NEVER).rotated()).isFalse();
        Round round = retention.run(connection, Duration.ZERO);
        assertThat(round.rotated()).isTrue();
        assertThat(round.noted()).containsExactly(0);
        assertThat(one(database, "select last_value || ' ' || is_called from crdt.ops_id_seq"))
                .isEqualTo("1048576 false");
        assertThat(retention.run(connection, Duration.ZERO).rotated()).isFalse();
        insert("b");
        assertThat(one(database, "select tableoid::regclass from crdt.ops where doc = 'b'"))
                .isEqualTo("crdt.ops_1");
    }

    @Test
    void theAgeIsThatOfTheFirstRow() throws Exception {
        database.execute("insert into crdt.ops (at, doc, update)"
                + " select now() - (2000 - i) * interval '1 s', 'a', '\\x0000' from generate_series(1, 1900) i");
        assertThat(retention.run(connection, Duration.ofSeconds(2_101)).rotated())
                .isFalse();
        assertThat(retention.run(connection, Duration.ofSeconds(1_901)).rotated())
                .isTrue();
    }

    @Test
    void aLeafIsNotLeftForOneThatHoldsRowsNorNearItsEnd() throws Exception {
        insert("a");
        database.execute(
                "insert into crdt.ops (id, doc, update) overriding system value values (1048577, 'b', '\\x00')");
        assertThat(retention.run(connection, Duration.ZERO).rotated()).isFalse();
        database.execute("truncate crdt.ops_1; select setval('crdt.ops_id_seq', 1000000)");
        assertThat(retention.run(connection, Duration.ZERO).rotated()).isFalse();
    }

    @Test
    void theRingWrapsAround() throws Exception {
        database.execute("select setval('crdt.ops_id_seq', 7 * 1048576 + 5)");
        insert("a");
        assertThat(retention.run(connection, Duration.ZERO).noted()).containsExactly(7);
        everythingIsWritten();
        assertThat(retention.run(connection, Duration.ZERO).trimmed()).containsExactly(7);
        insert("b");
        assertThat(one(database, "select tableoid::regclass from crdt.ops")).isEqualTo("crdt.ops_0");
    }

    @Test
    void nothingIsTrimmedDuringAResync() throws Exception {
        insert("a");
        database.execute(LEAVE_LEAF_0);
        streaming.set(false);
        assertThat(retention.run(connection, Duration.ZERO).isOpen()).isFalse();
        streaming.set(true);
        assertThat(retention.run(connection, NEVER).noted()).containsExactly(0);
        everythingIsWritten();
        streaming.set(false);
        assertThat(retention.run(connection, NEVER).trimmed()).isEmpty();
        streaming.set(true);
        assertThat(retention.run(connection, NEVER).noted()).containsExactly(0);
        assertThat(docs()).isEqualTo("a");
    }

    @Test
    void whoWasFencedTrimsNothing() throws Exception {
        insert("a");
        database.execute(LEAVE_LEAF_0);
        assertThat(retention.run(connection, NEVER).noted()).containsExactly(0);
        everythingIsWritten();
        try (Connection other = sidecar.connect()) {
            TakeOver.takeOver(other, "walmerge", "7", 1);
        }
        assertThatThrownBy(() -> retention.run(connection, NEVER)).isInstanceOf(FencedException.class);
        assertThat(docs()).isEqualTo("a");
        assertThat(connection.getAutoCommit()).isTrue();
    }

    @Test
    void aNoteIsFollowedByABarrier() throws Exception {
        database.execute("select pg_create_logical_replication_slot('" + database.name() + "', 'test_decoding')");
        try {
            insert("a");
            database.execute(LEAVE_LEAF_0);
            retention.run(connection, NEVER);
            retention.run(connection, NEVER);
            assertThat(one(
                            database,
                            "select string_agg(data, '/') from pg_logical_slot_get_changes('" + database.name()
                                    + "', null, null) where data like 'message%'"))
                    .isEqualTo("message: transactional: 1 prefix: walmerge, sz: 0 content:");
        } finally {
            database.execute("select pg_drop_replication_slot('" + database.name() + "')");
        }
    }

    private void insert(String doc) throws SQLException {
        database.execute("insert into crdt.ops (doc, update) values ('" + doc + "', '\\x0000')");
    }

    /** What the sidecar does with all that is committed. */
    private void everythingIsWritten() throws Exception {
        long lsn = insertLsn();
        writeBack.commit(NO_WRITES, NO_LETTERS, lsn);
        written.set(lsn);
    }

    private long insertLsn() throws SQLException {
        return LogSequenceNumber.valueOf(one(database, "select pg_current_wal_insert_lsn()"))
                .asLong();
    }

    private String docs() throws SQLException {
        return one(database, "select string_agg(doc, ' ' order by doc) from crdt.ops");
    }
}
