package dev.walmerge.engine.writeback;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of an app with columns for text and JSON, and the SQL that fills them. Names come quoted from the server. The
 * only parameter of each statement is an array of document keys, unless it says otherwise.
 *
 * @param exists false when the table or its key column is gone
 * @param docs where the text and JSON stand
 */
record TargetTable(
        String collection,
        boolean exists,
        String relation,
        String docs,
        String key,
        String keyType,
        String text,
        String json,
        boolean jsonIsText,
        String collectionLiteral) {

    private static final String READ = """
            select t.collection, k.attname is not null, t.relation::text, t.docs::text, quote_ident(t.key_column),
              format_type(k.atttypid, null), quote_ident(t.text_column), quote_ident(t.json_column),
              j.atttypid = 'json'::regtype, quote_literal(t.collection)
            from crdt.target t
              left join pg_attribute k on k.attrelid = t.relation and k.attname = t.key_column and not k.attisdropped
              left join pg_attribute j on j.attrelid = t.relation and j.attname = t.json_column
            order by t.collection""";

    static List<TargetTable> readAll(Connection connection) throws SQLException {
        List<TargetTable> all = new ArrayList<>();
        try (Statement select = connection.createStatement();
                ResultSet row = select.executeQuery(READ)) {
            while (row.next()) {
                all.add(new TargetTable(
                        row.getString(1),
                        row.getBoolean(2),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6),
                        row.getString(7),
                        row.getString(8),
                        row.getBoolean(9),
                        row.getString(10)));
            }
        }
        return all;
    }

    private String wanted() {
        // In the type of the column, so that its index is used.
        return "(select doc, doc::" + keyType + " as k from unnest(?::text[]) doc) w";
    }

    /** Fails for what is no key. Its only parameter is one document key. */
    String cast() {
        return "select ?::text::" + keyType;
    }

    /** Locks the rows that nobody else has locked, and says which. */
    String lockFree() {
        return "select w.doc from " + wanted() + " join " + relation + " t on " + isRow()
                + " for no key update of t skip locked";
    }

    String existing() {
        return "select w.doc from " + wanted() + " where exists (select from " + relation + " t where " + isRow() + ")";
    }

    /** By the index, and then by the text: 1 and 01 are one number, but two documents. */
    private String isRow() {
        return "t." + key + " = w.k and t." + key + "::text = w.doc";
    }

    /** Only what differs: an update to the same value would be a new version of the row. */
    String update() {
        List<String> sets = new ArrayList<>(2);
        List<String> differ = new ArrayList<>(2);
        if (text != null) {
            sets.add(text + " = d.body_text");
            differ.add("t." + text + " is distinct from d.body_text");
        }
        if (json != null) {
            sets.add(json + " = d.body_json");
            // The type json knows no equality.
            differ.add("t." + json
                    + (jsonIsText ? "::text is distinct from d.body_json::text" : " is distinct from d.body_json"));
        }
        // A row whose document is unknown is the app's alone, unless it had one that is to be forgotten.
        return "update " + relation + " t set " + String.join(", ", sets) + " from " + wanted() + " left join " + docs
                + " d on d.doc = w.doc where " + isRow() + " and (" + String.join(" or ", differ)
                + ") and (d.doc is not null or exists (select from crdt.forgotten f where f.collection = "
                + collectionLiteral + " and f.doc = w.doc))";
    }
}
