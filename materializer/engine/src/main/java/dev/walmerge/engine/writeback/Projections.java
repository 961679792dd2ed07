package dev.walmerge.engine.writeback;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.replication.LogSequenceNumber;

/** The docs rows, and those of blocks: what people read. The statements belong to one connection. */
final class Projections {
    private static final int SHAPES = 4;
    private static final int TEXT = 1;
    private static final int JSON = 2;

    private final long epoch;
    private final PreparedStatement[] updates = new PreparedStatement[SHAPES];
    private final PreparedStatement insert;
    private final PreparedStatement fail;
    private final PreparedStatement insertFailed;
    private final BlockRows blocks;

    Projections(Connection connection, long epoch) throws SQLException {
        this.epoch = epoch;
        for (int shape = 0; shape < SHAPES; shape++) {
            updates[shape] =
                    connection.prepareStatement(DocumentSql.updateDocs((shape & TEXT) != 0, (shape & JSON) != 0));
        }
        insert = connection.prepareStatement(DocumentSql.INSERT_DOCS);
        fail = connection.prepareStatement(DocumentSql.FAIL_DOCS);
        insertFailed = connection.prepareStatement(DocumentSql.INSERT_FAILED_DOCS);
        blocks = new BlockRows(connection);
    }

    /** What the error column says of a refused text or JSON. */
    static String error(DocumentWrite write, String reason) {
        String error = DocumentSql.PROJECTION_ERROR + " " + reason;
        return write.error() == null ? error : error + "; " + write.error();
    }

    /** Updates the rows that are there and inserts the others, a batch a shape. */
    void write(List<DocumentWrite> writes) throws SQLException {
        List<DocumentWrite> absent = new ArrayList<>();
        for (int shape = 0; shape < SHAPES; shape++) {
            List<DocumentWrite> alike = new ArrayList<>();
            Batch.start(updates[shape]);
            for (DocumentWrite write : writes) {
                if (shape(write) == shape) {
                    addUpdate(updates[shape], write, shape);
                    alike.add(write);
                }
            }
            if (!alike.isEmpty()) {
                int[] counts = Batch.execute(updates[shape]);
                for (int i = 0; i < counts.length; i++) {
                    if (counts[i] == 0) {
                        absent.add(alike.get(i));
                    }
                }
            }
        }
        for (DocumentWrite write : absent) {
            addInsert(write);
        }
        if (!absent.isEmpty()) {
            Batch.execute(insert);
        }
        blocks.write(writes);
    }

    /** Leaves the row as it is, but for the error. */
    void fail(DocumentWrite write, String error) throws SQLException {
        fail.setString(1, error);
        fail.setString(2, write.key().doc());
        if (fail.executeUpdate() == 0) {
            insertFailed.setString(1, write.key().doc());
            insertFailed.setLong(2, epoch);
            insertFailed.setDouble(3, (double) write.stalenessMillis());
            insertFailed.setString(4, write.bound().label());
            insertFailed.setString(5, error);
            insertFailed.executeUpdate();
        }
    }

    private static int shape(DocumentWrite write) {
        return (write.textChanged() ? TEXT : 0) | (write.jsonChanged() ? JSON : 0);
    }

    private void addUpdate(PreparedStatement update, DocumentWrite write, int shape) throws SQLException {
        int i = 1;
        update.setInt(i++, write.contentChanged() ? 1 : 0);
        update.setLong(i++, epoch);
        if ((shape & TEXT) != 0) {
            update.setString(i++, write.text());
        }
        if ((shape & JSON) != 0) {
            update.setString(i++, write.json());
        }
        i = addFacts(update, write, i);
        update.setString(i, write.key().doc());
        update.addBatch();
    }

    private void addInsert(DocumentWrite write) throws SQLException {
        insert.setString(1, write.key().doc());
        insert.setLong(2, epoch);
        insert.setString(3, write.text());
        insert.setString(4, write.json());
        addFacts(insert, write, 5);
        insert.addBatch();
    }

    private static int addFacts(PreparedStatement statement, DocumentWrite write, int first) throws SQLException {
        int i = first;
        statement.setBoolean(i++, write.missing() == null);
        statement.setString(i++, write.missing());
        statement.setString(i++, LogSequenceNumber.valueOf(write.mergedLsn()).asString());
        statement.setLong(i++, write.opCount());
        statement.setDouble(i++, (double) write.stalenessMillis());
        statement.setString(i++, write.bound().label());
        setText(statement, i++, write.warning());
        setText(statement, i++, write.error());
        return i;
    }

    private static void setText(PreparedStatement statement, int index, String value) throws SQLException {
        if (value == null) {
            statement.setNull(index, Types.VARCHAR);
        } else {
            statement.setString(index, value);
        }
    }
}
