package dev.walmerge.bench.demo;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Five queries to try in psql, with what they return right now. */
final class Queries {
    private record Query(String title, String sql) {}

    private Queries() {}

    /** @param run the prefix of this run's document keys */
    static void print(Connection connection, String run, PrintStream out) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (Query query : queries(run)) {
                out.println("-- " + query.title);
                out.println(query.sql);
                try (ResultSet result = statement.executeQuery(query.sql)) {
                    out.println(TextTable.render(result));
                }
            }
        }
    }

    private static List<Query> queries(String run) {
        return List.of(
                new Query("search: full text, from the GIN index", """
                        select doc, ts_headline('english', body_text, q, 'MaxWords=9, MinWords=5') as found
                        from crdt.docs, websearch_to_tsquery('english', '"skip list" or "clown school" or meditate') q
                        where crdt.tsv(body_text) @@ q and doc like '%s/%%' order by doc;""".formatted(run)),
                new Query("text: what each document says now", """
                        select doc, version, length(body_text) as length, left(body_text, 48) as begins
                        from crdt.docs where doc like '%s/%%' order by doc;""".formatted(run)),
                new Query("JSON: a document of maps and arrays", """
                        select item ->> 'what' as what, (item -> 'done')::boolean as done
                        from crdt.docs, jsonb_array_elements(body_json -> 'todo' -> 'items') item
                        where doc = '%s/todo';""".formatted(run)),
                new Query(
                        "freshness: each row says up to where it is right, and how late its last write was",
                        """
                        select doc, merged_lsn, staleness, staleness_bound, updated_at, complete
                        from crdt.docs where doc like '%s/%%' order by updated_at desc;""".formatted(run)),
                new Query("load: what a Yjs client applies to open the document, in order", """
                        select seq, format, octet_length(payload) as bytes, merged_lsn
                        from crdt.load('%s/clownschool');""".formatted(run)));
    }
}
