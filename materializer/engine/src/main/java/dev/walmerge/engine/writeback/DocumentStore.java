package dev.walmerge.engine.writeback;

import dev.walmerge.engine.Command;
import dev.walmerge.engine.Op;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
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

    /**
     * What is stored of a document, or null when it is unknown.
     *
     * @throws OutOfMemoryError when it does not fit into memory; the store can be used all the same
     */
    public StoredDocument load(DocumentKey key) throws SQLException {
        Tables.requireDefault(key.collection());
        connect();
        try {
            load.setString(1, key.doc());
            try (ResultSet row = load.executeQuery()) {
                return row.next() ? read(row) : null;
            }
        } catch (SQLException e) {
            if (e.getCause() instanceof OutOfMemoryError noMemory) {
                // The driver's: the server can do nothing about it, and the connection is as it was.
                throw noMemory;
            }
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
            select.setString(3, doc);
            select.setInt(4, limit);
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

    /**
     * The documents that have a row of docs, in the order of their keys.
     *
     * @param after only documents behind this one; null for the first page
     * @param limit of the page
     */
    public List<DocumentKey> documents(DocumentKey after, int limit) throws SQLException {
        connect();
        try (PreparedStatement select =
                connection.prepareStatement(after == null ? DocumentSql.FIRST_PAGE : DocumentSql.PAGE)) {
            int i = 1;
            if (after != null) {
                select.setString(i++, after.doc());
            }
            select.setInt(i, limit);
            List<DocumentKey> page = new ArrayList<>();
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

    /** The commands {@code reproject} that are not carried out. */
    public List<Command> openReprojections() throws SQLException {
        connect();
        try (PreparedStatement select = connection.prepareStatement(DocumentSql.OPEN_REPROJECTIONS);
                ResultSet row = select.executeQuery()) {
            List<Command> open = new ArrayList<>(0);
            while (row.next()) {
                open.add(new Command(
                        row.getLong("id"),
                        Command.REPROJECT,
                        row.getString("collection"),
                        row.getString("doc"),
                        Command.NONE,
                        null,
                        null));
            }
            return open;
        } catch (SQLException e) {
            throw closeIfLost(e);
        }
    }

    /**
     * The dead letters that a command means, by id.
     *
     * @param afterId only letters behind this one
     * @param limit of the page
     */
    public List<LetterKey> letters(Command command, long afterId, int limit) throws SQLException {
        connect();
        try (PreparedStatement select = connection.prepareStatement(LetterSql.PAGE)) {
            Long id = command.deadLetter() == Command.NONE ? null : command.deadLetter();
            select.setLong(1, afterId);
            select.setString(2, command.collection());
            select.setObject(3, id, Types.BIGINT);
            select.setObject(4, id, Types.BIGINT);
            select.setString(5, command.doc());
            select.setString(6, command.doc());
            select.setString(7, command.rule());
            select.setString(8, command.rule());
            select.setInt(9, limit);
            List<LetterKey> page = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    page.add(new LetterKey(row.getLong(1), new DocumentKey(row.getString(2), row.getString(3))));
                }
            }
            return page;
        } catch (SQLException e) {
            throw closeIfLost(e);
        }
    }

    /** What a dead letter says, or null when it is gone. */
    public Op letter(long id) throws SQLException {
        connect();
        try (PreparedStatement select = connection.prepareStatement(LetterSql.LOAD)) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                return row.next()
                        ? new Op(
                                row.getString("collection"),
                                row.getString("doc"),
                                row.getString("format"),
                                row.getBytes("payload"),
                                row.getString("op"),
                                row.getString("role"),
                                row.getLong("row_id"))
                        : null;
            }
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
                row.getBoolean("blocks"),
                row.getString("held"),
                tombstone(row));
    }

    private static Tombstone tombstone(ResultSet row) throws SQLException {
        String lsn = row.getString("forgotten_lsn");
        return lsn == null
                ? null
                : new Tombstone(
                        row.getBoolean("forgotten"),
                        LogSequenceNumber.valueOf(lsn).asLong(),
                        row.getBoolean("erased"));
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
