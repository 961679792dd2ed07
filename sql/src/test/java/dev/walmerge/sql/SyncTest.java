package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What waits for freshness, with a second session that moves the watermark in the sidecar's place. */
final class SyncTest {
    private final Database database = PostgresServer.shared().createInstalledDatabase();
    private Session session;
    private Session sidecar;

    @BeforeEach
    void connect() throws SQLException {
        session = new Session(database);
        sidecar = new Session(database);
    }

    @AfterEach
    void disconnect() throws SQLException {
        session.close();
        sidecar.close();
    }

    private void start() throws SQLException {
        sidecar.run("insert into crdt.progress values ('walmerge', '1', 1, gen_random_uuid(), 1, '0/0', now())");
    }

    private ServerErrorMessage refused(String call) {
        return catchThrowableOfType(PSQLException.class, () -> session.run(call))
                .getServerErrorMessage();
    }

    private void callWhileTheSidecarWrites(String call, String moves) throws Exception {
        CompletableFuture<Void> waiter = CompletableFuture.runAsync(() -> {
            try {
                session.run(call);
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        });
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (true) {
            sidecar.run(moves);
            try {
                waiter.get(5, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                assertThat(System.nanoTime()).as(call).isLessThan(deadline);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void returnsOnceTheBarrierIsWritten(String isolation) throws Exception {
        start();
        session.run("set default_transaction_isolation = '" + isolation + "'");
        session.run("insert into crdt.ops (doc, update) values ('post-1', '\\x0000')");
        String committed = sidecar.value("select pg_current_wal_insert_lsn()");
        callWhileTheSidecarWrites(
                "call crdt.sync('20 s', 'post-1')",
                "update crdt.progress set written = pg_current_wal_insert_lsn(), updated_at = now()");
        assertThat(session.value("select written >= '" + committed + "' from crdt.progress"))
                .isEqualTo("t");
    }

    /** The watermark stands still all the while. */
    @Test
    void whoWaitsForOneDocumentIsContentWithItsRow() throws Exception {
        start();
        sidecar.run("insert into crdt.docs (doc, version, epoch, complete, merged_lsn, op_count, staleness,"
                + " staleness_bound, updated_at) values ('post-1', 1, 1, true, '0/0', 0, '0 s', 'debounce', now())");
        String moves = "update crdt.docs set merged_lsn = pg_current_wal_insert_lsn() where doc = 'post-1'";
        callWhileTheSidecarWrites("call crdt.sync('20 s', 'post-1')", moves);
        String barrier = sidecar.value("select crdt.barrier('post-1')");
        assertThat(refused("call crdt.wait_for('" + barrier + "', '50 ms', 'post-1')")
                        .getSQLState())
                .isEqualTo("WM001");
        callWhileTheSidecarWrites("call crdt.wait_for('" + barrier + "', '20 s', 'post-1')", moves);
        assertThat(refused("call crdt.sync('50 ms', 'post-2')").getSQLState()).isEqualTo("WM001");
        assertThat(refused("call crdt.sync('50 ms')").getSQLState()).isEqualTo("WM001");
    }

    @Test
    void asksForAllWhenTheNamedRowDoesNotCome() throws Exception {
        start();
        sidecar.value("select pg_create_logical_replication_slot('" + database.name() + "', 'test_decoding')");
        try {
            assertThat(refused("call crdt.sync('1 s', 'nobody')").getSQLState()).isEqualTo("WM001");
            assertThat(sidecar.rows("select data from pg_logical_slot_get_changes('" + database.name()
                            + "', null, null) where data like 'message%'"))
                    .containsExactly(
                            "message: transactional: 1 prefix: walmerge, sz: 6 content:nobody",
                            "message: transactional: 1 prefix: walmerge, sz: 0 content:");
        } finally {
            sidecar.run("select pg_drop_replication_slot('" + database.name() + "')");
        }
    }

    @Test
    void theBarrierIsACommittedMessageAndIsFlushed() throws Exception {
        start();
        sidecar.value("select pg_create_logical_replication_slot('" + database.name() + "', 'test_decoding')");
        try {
            session.run("set synchronous_commit = off");
            assertThat(refused("call crdt.sync('0 s', 'post-1')").getSQLState()).isEqualTo("WM001");
            assertThat(refused("call crdt.sync('0 s')").getSQLState()).isEqualTo("WM001");
            assertThat(sidecar.rows("select data from pg_logical_slot_get_changes('" + database.name()
                            + "', null, null) where data like 'message%'"))
                    .containsExactly(
                            "message: transactional: 1 prefix: walmerge, sz: 6 content:post-1",
                            "message: transactional: 1 prefix: walmerge, sz: 0 content:");
        } finally {
            sidecar.run("select pg_drop_replication_slot('" + database.name() + "')");
        }
    }

    @Test
    void asksAgainWhenAnotherSidecarTookOver() throws Exception {
        start();
        sidecar.value("select pg_create_logical_replication_slot('" + database.name() + "', 'test_decoding')");
        try {
            // Each take-over loses the barrier; the waiter must set new ones, until the watermark moves.
            String messages = "(select count(*) from pg_logical_slot_peek_changes('" + database.name()
                    + "', null, null) where data like 'message%')";
            callWhileTheSidecarWrites(
                    "call crdt.sync('20 s')",
                    "update crdt.progress set epoch = epoch + 1, updated_at = now(), written = case when " + messages
                            + " > 1 then pg_current_wal_insert_lsn() else written end");
        } finally {
            sidecar.run("select pg_drop_replication_slot('" + database.name() + "')");
        }
    }

    @Test
    void aProcedureThatCommitsMayCallIt() throws Exception {
        start();
        callWhileTheSidecarWrites(
                "do $$ begin insert into crdt.ops (doc, update) values ('a', 'x'); commit; call crdt.sync(); end $$",
                "update crdt.progress set written = pg_current_wal_insert_lsn(), updated_at = now()");
    }

    @Test
    void waitsForABarrierSetElsewhere() throws Exception {
        start();
        String barrier = sidecar.value("select crdt.barrier('post-1')");
        callWhileTheSidecarWrites(
                "call crdt.wait_for('" + barrier + "')",
                "update crdt.progress set written = pg_current_wal_insert_lsn(), updated_at = now()");
        session.run("call crdt.wait_for('" + barrier + "', '0 s')");
    }

    @Test
    void saysThatNoSidecarHasEverRun() {
        assertThat(refused("call crdt.sync()").getSQLState()).isEqualTo("WM002");
        assertThat(refused("call crdt.sync()").getHint()).contains("walmerge run");
    }

    @Test
    void theTimeoutSaysHowFarBehindAndWhoIsMissing() throws Exception {
        start();
        ServerErrorMessage gone = refused("call crdt.sync('10 ms')");
        assertThat(gone.getSQLState()).isEqualTo("WM001");
        assertThat(gone.getDetail()).contains("Written up to 0/0").contains("There is no slot \"walmerge\"");
        String slot = database.name();
        sidecar.run("update crdt.progress set slot = '" + slot + "'");
        sidecar.value("select pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
        try {
            ServerErrorMessage idle = refused("call crdt.sync('10 ms')");
            assertThat(idle.getDetail()).contains("Nobody is reading the slot \"" + slot + "\"");
            assertThat(idle.getHint()).contains("Start the sidecar");
        } finally {
            sidecar.run("select pg_drop_replication_slot('" + slot + "')");
        }
    }

    @Test
    void refusesATransactionBlock() throws Exception {
        start();
        session.run("begin");
        ServerErrorMessage refused = refused("call crdt.sync()");
        assertThat(refused.getSQLState()).isEqualTo("25001");
        assertThat(refused.getMessage()).contains("transaction block");
        session.run("rollback");
        session.run("begin");
        assertThat(refused("call crdt.wait_for('0/1')").getSQLState()).isEqualTo("25001");
        session.run("rollback");
        session.connection().setAutoCommit(false);
        assertThat(refused("call crdt.sync()").getSQLState()).isEqualTo("25001");
        session.connection().rollback();
    }

    @Test
    void refusesATransactionThatHasWritten() throws Exception {
        start();
        ServerErrorMessage refused =
                refused("do $$ begin insert into crdt.ops (doc, update) values ('a', 'x'); call crdt.sync(); end $$");
        assertThat(refused.getSQLState()).isEqualTo("25001");
        assertThat(refused.getMessage()).contains("has written something");
        session.run("begin");
        session.run("insert into crdt.ops (doc, update) values ('a', 'x')");
        assertThat(refused("select crdt.barrier()").getSQLState()).isEqualTo("25001");
        session.run("rollback");
    }

    @Test
    void refusesArgumentsThatMakeNoSense() throws Exception {
        start();
        assertThat(refused("call crdt.sync(null)").getSQLState()).isEqualTo("22023");
        assertThat(refused("call crdt.sync('-1 s')").getSQLState()).isEqualTo("22023");
        assertThat(refused("call crdt.wait_for(null)").getSQLState()).isEqualTo("22023");
    }

    @Test
    void noSearchPathLeadsItAstray() throws Exception {
        start();
        session.run("create schema trap; create function trap.pg_is_in_recovery() returns boolean language sql"
                + " as 'select true'; create function trap.ge(pg_lsn, pg_lsn) returns boolean language sql as"
                + " 'select true'; create operator trap.>= (leftarg = pg_lsn, rightarg = pg_lsn, function = trap.ge);"
                + " set search_path = trap, pg_catalog");
        assertThat(refused("call crdt.sync('10 ms')").getSQLState()).isEqualTo("WM001");
    }
}
