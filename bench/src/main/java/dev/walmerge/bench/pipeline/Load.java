package dev.walmerge.bench.pipeline;

import dev.walmerge.bench.keystroke.KeystrokeUpdates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Ops by the million, written by the server itself so that the writing does not take longer than what is measured:
 * documents in turn, each typing the same text of its own.
 */
final class Load {
    private static final int PAYLOAD_BYTES = 40;

    /** Arguments by format: how many documents, the first op, ops a document and ops a transaction, and the prefix of their keys. */
    private static final String WRITE = """
            do $$
            declare
              updates constant bytea[] := array(select u.payload from bench_update u order by u.seq);
              documents constant int := %d;
              first constant int := %d;
              ops constant int := %d;
              a_transaction constant int := %d;
              written int := 0;
            begin
              for seq in first..first + ops - 1 loop
                for d in 1..documents loop
                  insert into crdt.ops (doc, update) values ('%s' || d, updates[seq]);
                  written := written + 1;
                  if written %% a_transaction = 0 then
                    commit;
                  end if;
                end loop;
              end loop;
            end $$""";

    private Load() {}

    /** Writes {@code documents * opsEach} rows, in transactions of so many; keys are the prefix and a number. */
    static void write(Connection connection, String prefix, int documents, int opsEach, int rowsPerTransaction)
            throws SQLException {
        writeMore(connection, prefix, documents, 0, opsEach, rowsPerTransaction);
    }

    /** The same, for documents that have {@code opsBefore} ops each. */
    static void writeMore(
            Connection connection, String prefix, int documents, int opsBefore, int opsEach, int rowsPerTransaction)
            throws SQLException {
        List<byte[]> updates = KeystrokeUpdates.ofSize(PAYLOAD_BYTES, opsBefore + opsEach);
        write(connection, prefix, documents, updates, opsBefore, rowsPerTransaction);
    }

    /** The same with updates of one's own. */
    static void write(Connection connection, String prefix, int documents, List<byte[]> updates, int rowsPerTransaction)
            throws SQLException {
        write(connection, prefix, documents, updates, 0, rowsPerTransaction);
    }

    private static void write(
            Connection connection,
            String prefix,
            int documents,
            List<byte[]> updates,
            int opsBefore,
            int rowsPerTransaction)
            throws SQLException {
        updates(connection, updates);
        try (Statement statement = connection.createStatement()) {
            // A commit that need not reach the disk: what is measured is reading.
            statement.execute("set synchronous_commit = off");
            int opsEach = updates.size() - opsBefore;
            statement.execute(WRITE.formatted(documents, opsBefore + 1, opsEach, rowsPerTransaction, prefix));
            statement.execute("reset synchronous_commit");
            statement.execute("drop table bench_update");
        }
    }

    /** Makes the updates known to this session of the server, as the temporary table {@code bench_update}. */
    static void updates(Connection connection, List<byte[]> updates) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create temp table bench_update (seq int, payload bytea)");
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into bench_update values (?, ?)")) {
            for (int i = 0; i < updates.size(); i++) {
                insert.setInt(1, i + 1);
                insert.setBytes(2, updates.get(i));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }
}
