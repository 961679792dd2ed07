package dev.walmerge.bench.soak;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;

/** One connection of a writer. A transaction may stay open while another session's goes on. */
final class Session implements AutoCloseable {
    /**
     * The row that tells whether a transaction was committed whose end nobody saw: while that is open still, the second
     * insert of the same key waits for it.
     */
    static final String LEDGER = """
            create schema soak;
            create table soak.batch (writer int, number int, ops int not null, primary key (writer, number))""";

    private static final String CLAIM =
            "insert into soak.batch (writer, number, ops) values (?, ?, ?) on conflict do nothing";
    private static final String INSERT = "insert into crdt.ops (doc, update, format) values (?, ?, ?)";

    private final Connection connection;

    private Session(Connection connection) {
        this.connection = connection;
    }

    static Session open(String url) throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        try (Statement statement = connection.createStatement()) {
            statement.execute("set application_name = 'soak writer'");
            connection.setAutoCommit(false);
            return new Session(connection);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Inserts a batch, without the commit. False, and nothing is open, if it was committed by an earlier try. */
    boolean begin(int writer, Batch batch) throws SQLException {
        try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setInt(1, writer);
            claim.setInt(2, batch.number());
            claim.setInt(3, batch.ops().size());
            if (claim.executeUpdate() == 0) {
                connection.rollback();
                return false;
            }
        }
        if (!batch.undone().isEmpty()) {
            Savepoint savepoint = connection.setSavepoint();
            insert(batch.undone());
            connection.rollback(savepoint);
        }
        insert(batch.ops());
        return true;
    }

    private void insert(List<PlannedOp> ops) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (PlannedOp op : ops) {
                insert.setString(1, op.document().key());
                insert.setBytes(2, op.payload());
                insert.setString(3, op.format());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    void commit() throws SQLException {
        connection.commit();
    }

    /** Inserts ops and takes all of it back. */
    void insertAndRollBack(List<PlannedOp> ops) throws SQLException {
        insert(ops);
        connection.rollback();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // The server went first.
        }
    }
}
