package dev.walmerge.engine.writeback;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Reads what is stored of a document, by primary key. One thread. A connection that was lost is opened again at the next
 * call.
 */
public final class DocumentStore implements AutoCloseable {
    private final ConnectionSource source;
    private Connection connection;
    private PreparedStatement load;

    public DocumentStore(ConnectionSource source) {
        this.source = source;
    }

    /** What is stored of a document, or null when it is unknown. */
    public StoredDocument load(DocumentKey key) throws SQLException {
        Tables.requireDefault(key.collection());
        if (connection == null) {
            connection = Session.open(source, "load");
            load = connection.prepareStatement(DocumentSql.LOAD);
        }
        try {
            load.setString(1, key.doc());
            try (ResultSet row = load.executeQuery()) {
                return row.next() ? read(row) : null;
            }
        } catch (SQLException e) {
            if (Session.isLost(connection, e)) {
                close();
            }
            throw e;
        }
    }

    @Override
    public void close() {
        if (connection != null) {
            Session.closeQuietly(connection);
            connection = null;
            load = null;
        }
    }

    private static StoredDocument read(ResultSet row) throws SQLException {
        return new StoredDocument(
                row.getString("state_format"),
                row.getBytes("state"),
                List.of(byteArrays(row.getArray("tail_payloads"))),
                parked(row),
                LogSequenceNumber.valueOf(row.getString("merged_lsn")).asLong(),
                row.getLong("op_count"),
                row.getString("body_text"),
                row.getBoolean("projected"));
    }

    private static List<ParkedUpdate> parked(ResultSet row) throws SQLException {
        byte[][] payloads = byteArrays(row.getArray("payloads"));
        if (payloads.length == 0) {
            return List.of();
        }
        Long[] seqs = (Long[]) row.getArray("seqs").getArray();
        String[] formats = (String[]) row.getArray("formats").getArray();
        Long[] rowIds = (Long[]) row.getArray("row_ids").getArray();
        String[] lsns = (String[]) row.getArray("lsns").getArray();
        List<ParkedUpdate> parked = new ArrayList<>(payloads.length);
        for (int i = 0; i < payloads.length; i++) {
            long lsn = LogSequenceNumber.valueOf(lsns[i]).asLong();
            parked.add(new ParkedUpdate(seqs[i], formats[i], payloads[i], rowIds[i], lsn));
        }
        return parked;
    }

    private static byte[][] byteArrays(Array array) throws SQLException {
        return array == null ? new byte[0][] : (byte[][]) array.getArray();
    }
}
