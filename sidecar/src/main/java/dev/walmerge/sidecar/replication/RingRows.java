package dev.walmerge.sidecar.replication;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/**
 * All rows of {@code crdt.ops} that one snapshot sees, document by document, and the documents that have none. The server
 * sorts; one row is in memory at a time. Not thread-safe.
 */
public final class RingRows implements AutoCloseable {
    private static final String ROWS = """
            copy (
              select k.doc, coalesce(o.id, 0), %s, o.update
              from (select doc from crdt.ops union select doc from crdt.ydoc union select doc from crdt.docs) k
                left join crdt.ops o on o.doc = k.doc
              order by k.doc
            ) to stdout (format binary)
            """;

    /** Receives one row. */
    @FunctionalInterface
    public interface RowConsumer {
        /**
         * @param id 0 for a document without a row
         * @param format null if the collection's
         * @param update null if the op is no update
         */
        void accept(String doc, long id, String format, byte[] update) throws SQLException;
    }

    private final Connection connection;

    private RingRows(Connection connection) {
        this.connection = connection;
    }

    /** Takes the snapshot, and keeps the ring from being trimmed until closed. */
    public static RingRows open(Endpoint endpoint) throws SQLException {
        RingRows rows = new RingRows(endpoint.connect("verify"));
        try (Statement statement = rows.connection.createStatement()) {
            statement.execute("set row_security = off");
            rows.connection.setAutoCommit(false);
            rows.connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            rows.connection.setReadOnly(true);
            statement.execute("select from crdt.ops limit 1");
            return rows;
        } catch (SQLException e) {
            rows.close();
            throw e;
        }
    }

    public void read(RowConsumer consumer) throws SQLException {
        CopyOut copy = connection.unwrap(PGConnection.class).getCopyAPI().copyOut(ROWS.formatted(format()));
        CopyRows decoder = new CopyRows();
        for (byte[] chunk = copy.readFromCopy(); chunk != null; chunk = copy.readFromCopy()) {
            if (decoder.next(chunk)) {
                consumer.accept(decoder.text(), decoder.int8(), decoder.text(), decoder.bytes());
            }
        }
    }

    private String format() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(Backfill.FORMATS)) {
            row.next();
            return row.getLong(1) > 1 ? Backfill.FORMAT_OF_ITS_TIME : "o.format";
        }
    }

    /** Cuts the connection: a polite end would read what a copy has left. */
    @Override
    public void close() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // Then it is cut already.
        }
    }
}
