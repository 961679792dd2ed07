package dev.walmerge.engine.writeback;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Deletes documents and puts their tombstones. The tombstone has no refuge: when it can't be written, everything waits.
 * Statements of one connection.
 */
final class Erasures {
    private final Connection connection;
    private final PreparedStatement put;
    private final List<PreparedStatement> deletes = new ArrayList<>();

    Erasures(Connection connection) throws SQLException {
        this.connection = connection;
        put = connection.prepareStatement(ErasureSql.PUT);
        for (String delete : ErasureSql.DELETES) {
            deletes.add(connection.prepareStatement(delete));
        }
    }

    /**
     * Carries one out.
     *
     * @param isolating whether a refusal to delete is survived; the tombstone then says why, and stands all the same
     * @return what was refused, or null
     */
    Refused write(Erasure erasure, boolean isolating) throws SQLException {
        Tables.requireDefault(erasure.key().collection());
        // An op that comes after a revival would not be told from those before: there must be nothing left.
        if (!isolating || !erasure.isDeleting() || !erasure.isInForce()) {
            delete(erasure);
            put(erasure, null);
            return null;
        }
        Savepoint savepoint = connection.setSavepoint();
        try {
            delete(erasure);
        } catch (SQLException e) {
            if (!Refusal.isOfDocument(e)) {
                throw e;
            }
            connection.rollback(savepoint);
            String reason = Refusal.describe(e);
            put(erasure, reason);
            return new Refused(erasure.key(), Refused.Part.ROWS, e.getSQLState(), reason);
        } finally {
            connection.releaseSavepoint(savepoint);
        }
        put(erasure, null);
        return null;
    }

    private void delete(Erasure erasure) throws SQLException {
        if (erasure.isDeleting()) {
            for (PreparedStatement delete : deletes) {
                delete.setString(1, erasure.key().doc());
                delete.executeUpdate();
            }
        }
    }

    private void put(Erasure erasure, String error) throws SQLException {
        put.setString(1, erasure.key().collection());
        put.setString(2, erasure.key().doc());
        put.setBoolean(3, erasure.isInForce());
        put.setString(4, LogSequenceNumber.valueOf(erasure.mergedLsn()).asString());
        put.setString(5, error);
        put.setBoolean(6, erasure.isDeleting());
        put.executeUpdate();
    }
}
