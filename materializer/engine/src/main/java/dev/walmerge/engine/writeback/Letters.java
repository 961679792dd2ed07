package dev.walmerge.engine.writeback;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.replication.LogSequenceNumber;

/** Dead letters and commands: the entries of a transaction. Statements of one connection. */
final class Letters {
    /** Together a tenth of a second. */
    private static final int LOOKS_MAX = 100;

    private static final long LOOK_NANOS = 1_000_000;

    private final Connection connection;
    private final PreparedStatement put;
    private final PreparedStatement refuseAgain;
    private final PreparedStatement remove;
    private final PreparedStatement done;

    Letters(Connection connection) throws SQLException {
        this.connection = connection;
        put = connection.prepareStatement(LetterSql.PUT);
        refuseAgain = connection.prepareStatement(LetterSql.REFUSE_AGAIN);
        remove = connection.prepareStatement(LetterSql.REMOVE);
        done = connection.prepareStatement(LetterSql.DONE);
    }

    /** Entries of a kind are independent of each other, so kinds go in batches. */
    void write(List<? extends Entry> entries) throws SQLException {
        List<Long> discarded = new ArrayList<>(0);
        int letters = 0;
        int updates = 0;
        Batch.start(put);
        Batch.start(refuseAgain);
        for (Entry entry : entries) {
            if (entry instanceof DeadLetter letter) {
                add(letter);
                letters++;
            } else if (entry instanceof LetterUpdate update && update.rule() != null) {
                add(update);
                updates++;
            } else if (entry instanceof LetterUpdate update) {
                discarded.add(update.id());
            }
        }
        if (letters > 0) {
            Batch.execute(put);
        }
        if (updates > 0) {
            Batch.execute(refuseAgain);
        }
        removeAll(discarded);
        for (Entry entry : entries) {
            if (entry instanceof CommandDone command) {
                markDone(command.id());
            } else if (entry instanceof Erasure erasure) {
                for (long id : erasure.commands()) {
                    markDone(id);
                }
            }
        }
    }

    /**
     * A commit is decoded when it is flushed, a moment before other sessions see it: the row may not be there yet. One that
     * stays away was deleted, or its commit waits for a synchronous standby, and nothing may wait that long.
     */
    private void markDone(long id) throws SQLException {
        done.setLong(1, id);
        for (int looks = 1; done.executeUpdate() == 0 && looks < LOOKS_MAX; looks++) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Those that are merged with the documents of this transaction. */
    void merged(List<DocumentWrite> writes) throws SQLException {
        List<Long> merged = new ArrayList<>(0);
        for (DocumentWrite write : writes) {
            for (long id : write.lettersMerged()) {
                merged.add(id);
            }
        }
        removeAll(merged);
    }

    private void removeAll(List<Long> ids) throws SQLException {
        if (!ids.isEmpty()) {
            Array array = connection.createArrayOf("int8", ids.toArray());
            remove.setArray(1, array);
            remove.executeUpdate();
        }
    }

    private void add(DeadLetter letter) throws SQLException {
        put.setString(1, letter.collection());
        put.setString(2, letter.doc());
        put.setString(3, LogSequenceNumber.valueOf(letter.lsn()).asString());
        put.setInt(4, letter.seq());
        put.setLong(5, letter.rowId());
        put.setString(6, letter.format());
        put.setBytes(7, letter.payload());
        put.setString(8, letter.json());
        put.setString(9, letter.role());
        put.setString(10, letter.rule());
        put.setString(11, withoutNul(letter.reason()));
        setOffset(put, 12, letter.byteOffset());
        put.addBatch();
    }

    private void add(LetterUpdate update) throws SQLException {
        refuseAgain.setString(1, update.rule());
        refuseAgain.setString(2, withoutNul(update.reason()));
        setOffset(refuseAgain, 3, update.byteOffset());
        refuseAgain.setLong(4, update.id());
        refuseAgain.addBatch();
    }

    private static String withoutNul(String text) {
        return text.replace('\0', '\uFFFD');
    }

    private static void setOffset(PreparedStatement statement, int index, int byteOffset) throws SQLException {
        if (byteOffset < 0) {
            statement.setNull(index, Types.INTEGER);
        } else {
            statement.setInt(index, byteOffset);
        }
    }
}
