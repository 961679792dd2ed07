package dev.walmerge.engine.writeback;

import dev.walmerge.engine.failpoint.Failpoint;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.postgresql.replication.LogSequenceNumber;

/** The rows documents are rebuilt from: ydoc, tail, parked, held. Statements of one connection. */
final class States {
    private final Connection connection;
    private final PreparedStatement putState;
    private final PreparedStatement deleteTail;
    private final PreparedStatement putTail;
    private final PreparedStatement deleteParked;
    private final PreparedStatement putParked;
    private final HeldRows held;

    States(Connection connection) throws SQLException {
        this.connection = connection;
        putState = connection.prepareStatement(DocumentSql.PUT_STATE);
        deleteTail = connection.prepareStatement(DocumentSql.DELETE_TAIL);
        putTail = connection.prepareStatement(DocumentSql.PUT_TAIL);
        deleteParked = connection.prepareStatement(DocumentSql.DELETE_PARKED);
        putParked = connection.prepareStatement(DocumentSql.PUT_PARKED);
        held = new HeldRows(connection);
    }

    HeldRows held() {
        return held;
    }

    void write(List<DocumentWrite> writes) throws SQLException {
        held.release(writes);
        fold(writes);
        appendTails(writes);
        unpark(writes);
        park(writes);
    }

    private void fold(List<DocumentWrite> writes) throws SQLException {
        List<DocumentWrite> folded = new ArrayList<>();
        Batch.start(putState);
        for (DocumentWrite write : writes) {
            Fold fold = write.fold();
            if (fold != null) {
                putState.setString(1, write.key().doc());
                putState.setString(2, fold.format());
                putState.setBytes(3, fold.state());
                putState.setBytes(4, fold.stateVector());
                putState.setString(5, lsn(write.mergedLsn()));
                putState.setLong(6, write.opCount());
                putState.addBatch();
                folded.add(write);
            }
        }
        if (folded.isEmpty()) {
            return;
        }
        Batch.execute(putState);
        Failpoint.INSIDE_FOLD.reach();
        Batch.start(deleteTail);
        for (DocumentWrite write : folded) {
            deleteTail.setString(1, write.key().doc());
            deleteTail.addBatch();
        }
        Batch.execute(deleteTail);
    }

    private void appendTails(List<DocumentWrite> writes) throws SQLException {
        int count = 0;
        Batch.start(putTail);
        for (DocumentWrite write : writes) {
            if (write.change() != null && write.fold() == null) {
                putTail.setBytes(1, write.change());
                putTail.setString(2, lsn(write.mergedLsn()));
                putTail.setLong(3, write.opCount());
                putTail.setString(4, write.key().doc());
                putTail.addBatch();
                count++;
            }
        }
        if (count > 0 && Arrays.stream(Batch.execute(putTail)).sum() != count) {
            throw new SQLException("a document to append to has no ydoc row", Refusal.NO_STATE);
        }
    }

    private void unpark(List<DocumentWrite> writes) throws SQLException {
        boolean any = false;
        Batch.start(deleteParked);
        for (DocumentWrite write : writes) {
            long[] seqs = write.parkedRemovedSeqs();
            if (seqs.length > 0) {
                deleteParked.setString(1, write.key().doc());
                deleteParked.setArray(2, seqs(connection, seqs));
                deleteParked.addBatch();
                any = true;
            }
        }
        if (any) {
            Batch.execute(deleteParked);
        }
    }

    private void park(List<DocumentWrite> writes) throws SQLException {
        boolean any = false;
        Batch.start(putParked);
        for (DocumentWrite write : writes) {
            for (ParkedUpdate parked : write.parkedAdded()) {
                putParked.setString(1, write.key().doc());
                putParked.setLong(2, parked.seq());
                putParked.setString(3, parked.format());
                putParked.setBytes(4, parked.payload());
                putParked.setLong(5, parked.rowId());
                putParked.setString(6, lsn(parked.lsn()));
                putParked.addBatch();
                any = true;
            }
        }
        if (any) {
            Batch.execute(putParked);
        }
    }

    static Array seqs(Connection connection, long[] seqs) throws SQLException {
        return connection.createArrayOf("int8", Arrays.stream(seqs).boxed().toArray(Long[]::new));
    }

    private static String lsn(long lsn) {
        return LogSequenceNumber.valueOf(lsn).asString();
    }
}
