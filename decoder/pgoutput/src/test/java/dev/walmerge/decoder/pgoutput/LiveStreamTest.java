package dev.walmerge.decoder.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a server sends of a transaction that is still open, which a recording of past ones can't show. The shape that a
 * row is read by is the one described last in the stream, whichever transaction described it.
 */
@Timeout(60)
final class LiveStreamTest {

    private final PostgresServer.Database database = PostgresServer.shared().createDatabase();
    private final String slot = "live_" + database.name();
    private final PgoutputDecoder decoder = new PgoutputDecoder(Protocol.STREAMED);
    private final List<String> events = new ArrayList<>();
    private Connection first;
    private Connection second;
    private SlotSession stream;

    @BeforeEach
    void start() throws SQLException {
        first = SlotSession.connect(database);
        second = SlotSession.connect(database);
        run(first, "create table t (a int, b int); create table outside (a int); create publication live for table t");
        try (Statement statement = first.createStatement()) {
            SlotSession.createSlot(statement, slot);
        }
        stream = new SlotSession(database, slot, "live", Protocol.STREAMED, false);
    }

    @AfterEach
    void stop() throws SQLException {
        stream.close();
        second.close();
        try (Connection last = first;
                Statement statement = last.createStatement()) {
            SlotSession.dropSlot(statement, slot);
        }
    }

    @Test
    void aShapeThatWasUndoneIsNotUsedAfterwards() throws Exception {
        run(second, "insert into t values (1, 2)");
        assertThat(readUntil("commit")).contains("insert t a=1 b=2");
        run(
                first,
                "begin; insert into t values (3, 4); alter table t drop column a, add column c int, add column d int");
        runMuch("insert into t values (5, 6, 7)");
        assertThat(readUntil("stop")).containsSubsequence("start first", "insert t a=3 b=4", "insert t b=5 c=6 d=7");
        assertThat(decoder.insideTransaction()).isFalse();
        assertThat(decoder.openStreams()).isEqualTo(1);
        run(first, "rollback");
        run(second, "insert into t values (8, 9)");
        assertThat(readUntil("commit")).containsSubsequence("abort whole", "insert t a=8 b=9");
        assertThat(decoder.openStreams()).isZero();
    }

    @Test
    void aPartThatIsUndoneIsNamedAndTheRestGoesOn() throws Exception {
        runMuch("begin; insert into t values (1, 1); savepoint s; insert into t values (2, 2)");
        assertThat(readUntil("stop")).containsSubsequence("insert t a=1 b=1", "insert t a=2 b=2");
        runMuch("rollback to s; insert into t values (3, 3)");
        assertThat(readUntil("stop")).containsSubsequence("abort part", "start", "insert t a=3 b=3");
        run(second, "insert into t values (4, 4)");
        assertThat(readUntil("commit")).contains("insert t a=4 b=4");
        run(first, "commit");
        assertThat(readUntil("stream commit")).doesNotContain("abort whole");
    }

    @Test
    void aLargeTransactionThatPublishesNothingIsSentAllTheSame() throws Exception {
        runMuch("begin");
        assertThat(readUntil("stop")).containsExactly("start first", "stop");
        run(first, "commit");
        assertThat(readUntil("stream commit")).doesNotContain("start first").doesNotContain("commit");
    }

    /** Its columns stand in another order, and the transaction that fills it is open already. */
    @Test
    void aPartitionThatIsAddedInMidStream() throws Exception {
        run(
                first,
                "create table parts (id int, a int) partition by list (id);"
                        + " create table parts_0 partition of parts for values in (0); create table parts_1 (a int, id int);"
                        + " alter publication live set (publish_via_partition_root = true);"
                        + " alter publication live add table parts");
        run(first, "insert into parts values (0, 1)");
        assertThat(readUntil("commit")).contains("insert parts id=0 a=1");
        run(first, "begin; insert into parts values (0, 2)");
        run(second, "alter table parts attach partition parts_1 for values in (1)");
        run(first, "insert into parts values (1, 3); commit");
        run(second, "insert into parts values (1, 4)");
        assertThat(readUntil("commit")).containsSubsequence("insert parts id=0 a=2", "insert parts id=1 a=3");
        assertThat(readUntil("commit")).contains("insert parts id=1 a=4");
    }

    /** A publication's columns can change without a lock on the table, so while the transaction with its rows is open. */
    @Test
    void columnsThatChangeInMidTransaction() throws Exception {
        runMuch("begin; insert into t values (1, 2)");
        assertThat(readUntil("stop")).contains("insert t a=1 b=2");
        run(second, "alter publication live set table t (b); insert into t values (3, 4)");
        assertThat(readUntil("commit")).contains("insert t b=4");
        run(first, "commit");
        readUntil("stream commit");
        run(second, "insert into t values (5, 6)");
        assertThat(readUntil("commit")).contains("insert t b=6");
        runMuch("begin; insert into t values (7, 8)");
        assertThat(readUntil("stop")).contains("insert t b=8");
        run(second, "alter publication live set table t (a); insert into t values (9, 10)");
        assertThat(readUntil("commit")).contains("insert t a=9");
        runMuch("insert into t values (11, 12)");
        assertThat(readUntil("stop")).containsAnyOf("insert t a=11", "insert t b=12");
        run(first, "commit");
        readUntil("stream commit");
        run(second, "insert into t values (13, 14)");
        assertThat(readUntil("commit")).contains("insert t a=13");
    }

    /** With more than the server keeps of one transaction; and flushed, as the server sends nothing that is not. */
    private void runMuch(String sql) throws SQLException {
        run(first, sql + "; insert into outside select generate_series(1, 500)");
        run(second, "insert into outside values (0)");
    }

    private static void run(Connection session, String sql) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.execute(sql);
        }
    }

    /** What came up to and with that event. */
    private List<String> readUntil(String last) throws Exception {
        events.clear();
        EventNames names = new EventNames();
        while (!events.contains(last)) {
            byte[] message = stream.next();
            decoder.decode(message, 0, message.length, names);
        }
        return List.copyOf(events);
    }

    private final class EventNames extends IgnoringHandler {
        @Override
        public void onCommit(long commitLsn, long endLsn, long commitTimeMicros) {
            events.add("commit");
        }

        @Override
        public void onInsert(int xid, Relation relation, Tuple row) {
            events.add("insert " + relation.name() + CommittedChanges.values(relation, row));
        }

        @Override
        public void onStreamStart(int xid, boolean isFirst) {
            events.add(isFirst ? "start first" : "start");
        }

        @Override
        public void onStreamStop(int xid) {
            events.add("stop");
        }

        @Override
        public void onStreamCommit(int xid, long commitLsn, long endLsn, long commitTimeMicros) {
            events.add("stream commit");
        }

        @Override
        public void onStreamAbort(int xid, int subxid, long abortLsn, long abortTimeMicros) {
            events.add(xid == subxid ? "abort whole" : "abort part");
        }
    }
}
