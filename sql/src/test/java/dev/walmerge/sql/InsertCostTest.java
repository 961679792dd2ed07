package dev.walmerge.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.walmerge.sql.testing.PostgresServer;
import dev.walmerge.sql.testing.PostgresServer.Database;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** The contract on the price of a keystroke. */
final class InsertCostTest {
    private static final int BATCH = 1000;
    private static final int MAX_BYTES = 230;

    private final Database database = PostgresServer.shared().createInstalledDatabase();

    @Test
    void anInsertOfFortyBytesWritesAtMost230BytesOfWal() throws SQLException {
        try (Session session = new Session(database)) {
            // The bytes are the same, and nobody waits for the disk.
            session.run("set synchronous_commit = off");
            insert(session);
            long best = Long.MAX_VALUE;
            // Whatever else the server writes meanwhile (its checkpoints, other tests) is not the insert's.
            for (int round = 0; round < 3; round++) {
                String before = session.value("select pg_current_wal_insert_lsn()");
                insert(session);
                String bytes = session.value("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '" + before + "')");
                best = Math.min(best, Long.parseLong(bytes) / BATCH);
            }
            assertThat(best).isLessThanOrEqualTo(MAX_BYTES);
        }
    }

    private static void insert(Session session) throws SQLException {
        String sql = "insert into crdt.ops (doc, update) values (?, ?)";
        try (PreparedStatement statement = session.connection().prepareStatement(sql)) {
            for (int i = 0; i < BATCH; i++) {
                byte[] payload = new byte[40];
                payload[i % 40] = (byte) i;
                statement.setString(1, "post-1");
                statement.setBytes(2, payload);
                statement.executeUpdate();
            }
        }
    }
}
