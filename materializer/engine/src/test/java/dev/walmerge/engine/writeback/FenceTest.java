package dev.walmerge.engine.writeback;

import static dev.walmerge.engine.testing.Rows.one;
import static dev.walmerge.engine.writeback.Writes.bytes;
import static dev.walmerge.engine.writeback.Writes.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.walmerge.engine.testing.SidecarLogin;
import dev.walmerge.sql.testing.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who may write, and what a writer does that does not know how its last commit ended. */
final class FenceTest {
    private static final List<DeadLetter> NO_LETTERS = List.of();

    private final PostgresServer.Database database = PostgresServer.shared().createInstalledDatabase();
    private final SidecarLogin sidecar = SidecarLogin.create(database);

    @Test
    void eachTakeOverBumpsTheEpoch() throws Exception {
        Lease first = takeOver("7", 1);
        assertThat(first.firstStart()).isTrue();
        assertThat(first.epoch()).isEqualTo(1);
        assertThat(first.written()).isZero();
        assertThat(first.previousNonce()).isNull();
        try (WriteBack writeBack = new WriteBack(sidecar::connect, first, 2_000)) {
            writeBack.commit(List.of(), NO_LETTERS, 0x10);
        }
        String nonce = one(database, "select nonce from crdt.progress");

        Lease second = takeOver("7", 1);
        assertThat(second.firstStart()).isFalse();
        assertThat(second.sameIncarnation()).isTrue();
        assertThat(second.epoch()).isEqualTo(2);
        assertThat(second.written()).isEqualTo(0x10);
        assertThat(second.previousNonce()).hasToString(nonce);
        assertThat(second.nonce()).hasToString(one(database, "select nonce from crdt.progress"));
    }

    @Test
    void nothingIsKnownToBeWrittenOnAnotherServer() throws Exception {
        try (WriteBack writeBack = new WriteBack(sidecar::connect, takeOver("7", 1), 2_000)) {
            writeBack.commit(List.of(), NO_LETTERS, 0x10);
        }
        Lease promoted = takeOver("7", 2);
        assertThat(promoted.sameIncarnation()).isFalse();
        assertThat(promoted.written()).isZero();
        assertThat(one(database, "select system_identifier || ' ' || timeline || ' ' || written from crdt.progress"))
                .isEqualTo("7 2 0/0");
        assertThat(takeOver("8", 2).sameIncarnation()).isFalse();
    }

    @Test
    void theEarlierHolderIsFenced() throws Exception {
        try (WriteBack writeBack = new WriteBack(sidecar::connect, takeOver("7", 1), 2_000)) {
            writeBack.commit(List.of(), NO_LETTERS, 0x10);
            takeOver("7", 1);
            DocumentWrite write = Writes.of("a", 0x20).text("late").fold(1).build();
            assertThatThrownBy(() -> writeBack.commit(List.of(write), NO_LETTERS, 0x20))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("epoch 2, ours is 1");
        }
        assertThat(one(database, "select count(*) from crdt.docs")).isEqualTo("0");
        assertThat(one(database, "select written from crdt.progress")).isEqualTo("0/10");
    }

    /** There and back: the slot may have left out what came in between. */
    @Test
    void nothingIsWrittenOnceThePublicationWasChanged() throws Exception {
        Lease lease = takeOver("7", 1);
        try (WriteBack writeBack = new WriteBack(sidecar::connect, lease, 2_000)) {
            writeBack.commit(List.of(), NO_LETTERS, 0x10);
            database.execute("alter publication walmerge drop table crdt.ops");
            database.execute("alter publication walmerge add table crdt.ops");
            assertThatThrownBy(() -> writeBack.commit(List.of(), NO_LETTERS, 0x20))
                    .isInstanceOf(PublicationChangedException.class);
        }
        assertThat(one(database, "select written from crdt.progress")).isEqualTo("0/10");
        try (Connection connection = sidecar.connect()) {
            assertThat(TakeOver.before(connection, "walmerge", "7", 1).written())
                    .isZero();
            Lease again = TakeOver.startOver(connection, takeOver("7", 1));
            try (WriteBack writeBack = new WriteBack(sidecar::connect, again, 2_000)) {
                writeBack.commit(List.of(), NO_LETTERS, 0x30);
            }
            assertThat(TakeOver.before(connection, "walmerge", "7", 1).written())
                    .isEqualTo(0x30);
        }
        assertThat(one(database, "select written from crdt.progress")).isEqualTo("0/30");
    }

    @Test
    void aServerThatWentBackIsNotWrittenTo() throws Exception {
        try (WriteBack writeBack = new WriteBack(sidecar::connect, takeOver("7", 1), 2_000)) {
            writeBack.commit(List.of(), NO_LETTERS, 0x10);
            String row = one(database, "select nonce from crdt.progress");
            writeBack.commit(List.of(), NO_LETTERS, 0x20);
            // What a storage snapshot of before the last commit holds: same server, same epoch, an older nonce.
            database.execute("update crdt.progress set written = '0/10', nonce = '" + row + "'");
            assertThatThrownBy(() -> writeBack.commit(List.of(), NO_LETTERS, 0x30))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("went back");
            database.execute("delete from crdt.progress");
            assertThatThrownBy(() -> writeBack.commit(List.of(), NO_LETTERS, 0x30))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("is gone");
        }
    }

    @Test
    void aStaleHolderOfTheRowIsEnded() throws Exception {
        takeOver("7", 1);
        try (Connection stale = sidecar.connect();
                Statement statement = stale.createStatement()) {
            stale.setAutoCommit(false);
            statement.execute("update crdt.progress set updated_at = now()");
            assertThat(takeOver("7", 1).epoch()).isEqualTo(2);
            assertThatThrownBy(stale::commit).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void aCommitWhoseEndWasNotSeenIsWrittenAgain() throws Exception {
        AtomicInteger faults = new AtomicInteger(2);
        ConnectionSource source = () -> cutAfterCommit(sidecar.connect(), faults);
        try (WriteBack writeBack = new WriteBack(source, takeOver("7", 1), 2_000);
                DocumentStore store = new DocumentStore(sidecar::connect)) {
            List<DocumentWrite> first =
                    List.of(Writes.of("a", 0x10).text("1").fold(1).build());
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> writeBack.commit(first, NO_LETTERS, 0x10))
                        .isInstanceOf(SQLException.class);
            }
            writeBack.commit(first, NO_LETTERS, 0x10);
            assertThat(store.load(key("a")).state()).isEqualTo(bytes(1));
            writeBack.commit(List.of(Writes.of("a", 0x20).text("12").tail(2).build()), NO_LETTERS, 0x20);
            assertThat(store.load(key("a")).changes()).containsExactly(bytes(2));
            assertThat(one(database, "select written from crdt.progress")).isEqualTo("0/20");
        }
    }

    @Test
    void aLostConnectionIsOpenedAgain() throws Exception {
        try (WriteBack writeBack = new WriteBack(sidecar::connect, takeOver("7", 1), 2_000);
                DocumentStore store = new DocumentStore(sidecar::connect)) {
            List<DocumentWrite> writes =
                    List.of(Writes.of("a", 0x10).text("1").fold(1).build());
            writeBack.commit(List.of(), NO_LETTERS, 0x8);
            assertThat(store.load(key("a"))).isNull();
            assertThat(one(
                            database,
                            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                                    + " where application_name like 'walmerge %' and datname = current_database()"))
                    .isEqualTo("2");
            assertThatThrownBy(() -> writeBack.commit(writes, NO_LETTERS, 0x10)).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> store.load(key("a"))).isInstanceOf(SQLException.class);
            writeBack.commit(writes, NO_LETTERS, 0x10);
            assertThat(store.load(key("a")).text()).isEqualTo("1");
        }
    }

    @Test
    void aStatementTimeoutDoesNotSwitchWriteBackOff() throws Exception {
        try (WriteBack writeBack = new WriteBack(this::connectWithTimeout, takeOver("7", 1), 2_000);
                Connection reader = database.connect();
                Statement statement = reader.createStatement()) {
            writeBack.commit(
                    List.of(
                            Writes.of("a", 0x10).text("1").fold(1).build(),
                            Writes.of("b", 0x10).text("1").fold(1).build()),
                    NO_LETTERS,
                    0x10);
            reader.setAutoCommit(false);
            statement.execute("select from crdt.docs where doc = 'a' for update");
            List<DocumentWrite> writes = List.of(
                    Writes.of("a", 0x20).text("12").tail(2).build(),
                    Writes.of("b", 0x20).text("12").tail(2).build());
            // The error can't be set either while the row is locked: held says that the row is old.
            assertThat(writeBack.commit(writes, NO_LETTERS, 0x20).refused())
                    .containsExactly(
                            new Refused(key("a"), Refused.Part.DOCS, "55P03", "55P03: another session has it locked"));
            reader.rollback();
            assertThat(writeBack
                            .commit(
                                    List.of(Writes.of("a", 0x20)
                                            .text("12")
                                            .json(null)
                                            .docs(Care.ALONE)
                                            .build()),
                                    NO_LETTERS,
                                    0x20)
                            .refused())
                    .isEmpty();
        }
        assertThat(one(database, "select string_agg(body_text, ' ') from crdt.docs"))
                .isEqualTo("12 12");
    }

    private Connection connectWithTimeout() throws SQLException {
        Connection connection = sidecar.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("set statement_timeout = '200ms'");
        }
        return connection;
    }

    private Lease takeOver(String systemIdentifier, int timeline) throws SQLException {
        try (Connection connection = sidecar.connect()) {
            return TakeOver.takeOver(connection, "walmerge", systemIdentifier, timeline);
        }
    }

    /** A connection that breaks after its commit reached the server, before the answer comes back. */
    private static Connection cutAfterCommit(Connection connection, AtomicInteger faults) {
        return (Connection) Proxy.newProxyInstance(
                FenceTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(connection, arguments);
                        if (method.getName().equals("commit") && faults.getAndDecrement() > 0) {
                            connection.close();
                            throw new SQLException("cut", "08006");
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
