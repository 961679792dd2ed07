package dev.walmerge.sidecar.verify;

import dev.walmerge.engine.DocumentHash;
import dev.walmerge.sidecar.replication.Endpoint;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;

/** Finds the documents that a hash names: logs and reports hold no keys, as those may be content. */
public final class HashSearch {
    private static final String COLLECTION = "default";
    private static final int FETCH_ROWS = 10_000;
    private static final String KEYS = """
            select doc from crdt.docs union select doc from crdt.ydoc union select doc from crdt.held
            union select doc from crdt.dead_letter""";

    private HashSearch() {}

    /**
     * Walks over the keys of all documents.
     *
     * @param hash as {@link DocumentHash#print} writes it
     * @param found told each key
     * @return how many there are; two documents may share a hash
     */
    public static int find(Endpoint endpoint, String hash, Consumer<String> found) throws SQLException {
        int count = 0;
        try (Connection connection = endpoint.connect("verify")) {
            connection.setAutoCommit(false);
            connection.setReadOnly(true);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(FETCH_ROWS);
                try (ResultSet row = statement.executeQuery(KEYS)) {
                    while (row.next()) {
                        String doc = row.getString(1);
                        if (DocumentHash.print(DocumentHash.of(COLLECTION, doc)).equals(hash)) {
                            found.accept(doc);
                            count++;
                        }
                    }
                }
            }
        }
        return count;
    }
}
