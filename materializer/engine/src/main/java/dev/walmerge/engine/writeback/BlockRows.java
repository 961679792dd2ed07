package dev.walmerge.engine.writeback;

import dev.walmerge.crdt.TextBlock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of blocks. What is stored is read and compared, so that only rows that differ are written, whatever was written
 * before and by whom. Statements of one connection.
 */
final class BlockRows {
    private record Stored(int seq, String kind, String path, String text) {}

    private final Connection connection;
    private final PreparedStatement read;
    private final PreparedStatement remove;
    private final PreparedStatement move;
    private final PreparedStatement put;

    BlockRows(Connection connection) throws SQLException {
        this.connection = connection;
        read = connection.prepareStatement(BlockSql.READ);
        remove = connection.prepareStatement(BlockSql.REMOVE);
        move = connection.prepareStatement(BlockSql.MOVE);
        put = connection.prepareStatement(BlockSql.PUT);
    }

    /** Makes the rows of these documents what they say, but for those that say nothing. */
    void write(List<DocumentWrite> writes) throws SQLException {
        for (DocumentWrite write : writes) {
            if (write.blocks() != null) {
                write(write.key().doc(), write.blocks());
            }
        }
    }

    private void write(String doc, List<TextBlock> blocks) throws SQLException {
        Map<String, Stored> stored = read(doc);
        Rows moved = new Rows();
        Rows changed = new Rows();
        for (int i = 0; i < blocks.size(); i++) {
            TextBlock block = blocks.get(i);
            Stored before = stored.remove(block.id());
            int seq = i + 1;
            if (before == null || !before.text.equals(block.text())) {
                changed.add(seq, block);
            } else if (before.seq != seq || !before.kind.equals(block.kind()) || !before.path.equals(block.path())) {
                moved.add(seq, block);
            }
        }
        if (!stored.isEmpty()) {
            remove.setString(1, doc);
            remove.setArray(2, connection.createArrayOf("text", stored.keySet().toArray()));
            remove.executeUpdate();
        }
        moved.execute(move, doc, false);
        changed.execute(put, doc, true);
    }

    private Map<String, Stored> read(String doc) throws SQLException {
        Map<String, Stored> stored = new HashMap<>();
        read.setString(1, doc);
        try (ResultSet row = read.executeQuery()) {
            while (row.next()) {
                stored.put(
                        row.getString(1),
                        new Stored(row.getInt(2), row.getString(3), row.getString(4), row.getString(5)));
            }
        }
        return stored;
    }

    /** Arguments of one statement, a list a column. */
    private final class Rows {
        private final List<Integer> seqs = new ArrayList<>(0);
        private final List<String> ids = new ArrayList<>(0);
        private final List<String> kinds = new ArrayList<>(0);
        private final List<String> paths = new ArrayList<>(0);
        private final List<String> texts = new ArrayList<>(0);

        void add(int seq, TextBlock block) {
            seqs.add(seq);
            ids.add(block.id());
            kinds.add(block.kind());
            paths.add(block.path());
            texts.add(block.text());
        }

        void execute(PreparedStatement statement, String doc, boolean withTexts) throws SQLException {
            if (seqs.isEmpty()) {
                return;
            }
            statement.setString(1, doc);
            statement.setArray(2, connection.createArrayOf("text", ids.toArray()));
            statement.setArray(3, connection.createArrayOf("int4", seqs.toArray()));
            statement.setArray(4, connection.createArrayOf("text", kinds.toArray()));
            statement.setArray(5, connection.createArrayOf("text", paths.toArray()));
            if (withTexts) {
                statement.setArray(6, connection.createArrayOf("text", texts.toArray()));
            }
            statement.executeUpdate();
        }
    }
}
