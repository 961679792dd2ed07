package dev.walmerge.engine.writeback;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.postgresql.replication.LogSequenceNumber;

/** The rows of {@code held}: what documents would have written that can't be. Statements of one connection. */
final class HeldRows {
    private static final String CHANGE = "change";
    private static final String PARKED = "parked";
    private static final String DOCS = "docs";

    private final Connection connection;
    private final PreparedStatement put;
    private final PreparedStatement append;
    private final PreparedStatement removeParked;
    private final PreparedStatement moveChanges;
    private final PreparedStatement moveParked;
    private final PreparedStatement removeRows;

    HeldRows(Connection connection) throws SQLException {
        this.connection = connection;
        put = connection.prepareStatement(HeldSql.PUT);
        append = connection.prepareStatement(HeldSql.APPEND);
        removeParked = connection.prepareStatement(HeldSql.REMOVE_PARKED);
        moveChanges = connection.prepareStatement(HeldSql.MOVE_CHANGES);
        moveParked = connection.prepareStatement(HeldSql.MOVE_PARKED);
        removeRows = connection.prepareStatement(HeldSql.REMOVE_ROWS);
    }

    /** Puts what the rows of a document should have said. */
    void hold(DocumentWrite write, String reason) throws SQLException {
        if (write.parkedRemovedSeqs().length > 0) {
            removeParked.setString(1, write.key().doc());
            removeParked.setArray(2, States.seqs(connection, write.parkedRemovedSeqs()));
            removeParked.executeUpdate();
        }
        if (write.change() != null) {
            append.setString(1, write.key().doc());
            append.setBytes(2, write.change());
            append.setString(3, lsn(write.mergedLsn()));
            append.setLong(4, write.opCount());
            append.setString(5, reason);
            append.setString(6, write.key().doc());
            append.executeUpdate();
        }
        for (ParkedUpdate parked : write.parkedAdded()) {
            put(write, PARKED, parked, reason);
        }
    }

    /** Notes that not even the error could be written into the docs row. */
    void holdDocs(DocumentWrite write, String reason) throws SQLException {
        put(write, DOCS, null, reason);
    }

    private void put(DocumentWrite write, String kind, ParkedUpdate parked, String reason) throws SQLException {
        put.setString(1, write.key().doc());
        put.setString(2, kind);
        put.setLong(3, parked == null ? 0 : parked.seq());
        put.setString(4, parked == null ? null : parked.format());
        put.setBytes(5, parked == null ? null : parked.payload());
        if (parked == null) {
            put.setNull(6, Types.BIGINT);
        } else {
            put.setLong(6, parked.rowId());
        }
        put.setString(7, lsn(parked == null ? write.mergedLsn() : parked.lsn()));
        put.setLong(8, write.opCount());
        put.setString(9, reason);
        put.executeUpdate();
    }

    /** Makes rows of tail and parked of what is held, before the new ones are written. A fold replaces the former. */
    void release(List<DocumentWrite> writes) throws SQLException {
        for (DocumentWrite write : writes) {
            if (write.held() == null) {
                continue;
            }
            int moved = 0;
            if (write.fold() == null) {
                moveChanges.setString(1, write.key().doc());
                moved = moveChanges.executeUpdate();
            }
            moveParked.setString(1, write.key().doc());
            moveParked.executeUpdate();
            if (write.fold() == null && moved != remove(write, CHANGE)) {
                throw new SQLException("a document to append to has no ydoc row", Refusal.NO_STATE);
            }
            remove(write, CHANGE);
            remove(write, PARKED);
        }
    }

    private int remove(DocumentWrite write, String kind) throws SQLException {
        removeRows.setString(1, write.key().doc());
        removeRows.setString(2, kind);
        return removeRows.executeUpdate();
    }

    /** The docs row is written again. */
    void releaseDocs(DocumentWrite write) throws SQLException {
        remove(write, DOCS);
    }

    private static String lsn(long lsn) {
        return LogSequenceNumber.valueOf(lsn).asString();
    }
}
