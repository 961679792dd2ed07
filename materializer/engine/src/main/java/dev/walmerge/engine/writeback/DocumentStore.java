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
        connect();
        try {
            load.setString(1, key.doc());
            try (ResultSet row = load.executeQuery()) {
                return row.next() ? read(row) : null;
            }
        } catch (SQLException e) {
            throw closeIfLost(e);
        }
    }

    /**
     * Documents of which Postgres refused something that it may take now, in the order of their keys.
     *
     * @param after only documents behind this one; null for the first page
     * @param limit of the page
     */
    public List<DocumentKey> suspects(DocumentKey after, int limit) throws SQLException {
        connect();
        String doc = after == null ? "" : after.doc();
        List<DocumentKey> page = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(HeldSql.SUSPECTS)) {
            select.setString(1, doc);
            select.setString(2, doc);
            select.setInt(3, limit);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    page.add(new DocumentKey(Tables.DEFAULT, row.getString(1)));
                }
            }
            return page;
        } catch (SQLException e) {
            throw closeIfLost(e);
        }
    }

    private void connect() throws SQLException {
        if (connection == null) {
            connection = Session.open(source, "load");
            load = connection.prepareStatement(DocumentSql.LOAD);
        }
    }

    private SQLException closeIfLost(SQLException e) throws SQLException {
        if (Session.isLost(connection, e)) {
            close();
        }
        return e;
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
        List<byte[]> changes = new ArrayList<>(List.of(byteArrays(row.getArray("tail_payloads"))));
        int tailCount = changes.size();
        changes.addAll(List.of(byteArrays(row.getArray("held_payloads"))));
        return new StoredDocument(
                row.getString("state_format"),
                row.getBytes("state"),
                changes,
                tailCount,
                parked(row),
                LogSequenceNumber.valueOf(row.getString("merged_lsn")).asLong(),
                row.getLong("op_count"),
                row.getString("body_text"),
                row.getBoolean("projected"),
                row.getString("held"));
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
