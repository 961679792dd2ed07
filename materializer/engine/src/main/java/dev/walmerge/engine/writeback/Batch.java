package dev.walmerge.engine.writeback;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/** JDBC batches that leave nothing behind when they fail. */
final class Batch {
    private Batch() {}

    /**
     * Before the first command is added: what was added when another statement failed must not be executed with these, in
     * the name of documents that were put right since.
     */
    static void start(PreparedStatement statement) throws SQLException {
        statement.clearBatch();
    }

    static int[] execute(PreparedStatement statement) throws SQLException {
        try {
            return statement.executeBatch();
        } finally {
            // A driver may keep the commands of a batch that failed, and the next batch must not bring them back.
            statement.clearBatch();
        }
    }
}
