package dev.walmerge.sidecar.migrate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The publication that the sidecar reads; migrations 3 and 5 make it, somebody may have dropped or changed it since. */
public final class Publication {
    public static final String NAME = "walmerge";

    private static final String TABLES = "table crdt.ops, crdt.collection, crdt.command";
    private static final String OPTIONS = "publish = 'insert', publish_via_partition_root = true";
    private static final String IS_THERE =
            "select exists (select from pg_catalog.pg_publication where pubname = '" + NAME + "')";
    /** By name: a role that may not use the schema can't say {@code 'crdt.ops'::regclass}. */
    private static final String IS_WHOLE = """
            select p.pubinsert and p.pubviaroot and not (p.pubupdate or p.pubdelete or p.pubtruncate)
               and 3 = (select count(*) from pg_catalog.pg_publication_rel r
                          join pg_catalog.pg_class c on c.oid = r.prrelid
                          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                         where r.prpubid = p.oid and r.prqual is null and r.prattrs is null
                           and n.nspname = 'crdt' and c.relname in ('ops', 'collection', 'command'))
              from pg_catalog.pg_publication p where p.pubname = 'walmerge'""";

    private Publication() {}

    public static boolean isThere(Connection connection) throws SQLException {
        return ask(connection, IS_THERE);
    }

    /** Whether it is there with all its tables, every row of them, and their inserts only. */
    public static boolean isWhole(Connection connection) throws SQLException {
        return ask(connection, IS_WHOLE);
    }

    /** The statements that make it whole; none if it is. */
    static List<String> mending(Connection connection) throws SQLException {
        if (!isThere(connection)) {
            return List.of("create publication " + NAME + " for " + TABLES + " with (" + OPTIONS + ")");
        }
        return isWhole(connection)
                ? List.of()
                : List.of(
                        "alter publication " + NAME + " set " + TABLES,
                        "alter publication " + NAME + " set (" + OPTIONS + ")");
    }

    private static boolean ask(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getBoolean(1);
        }
    }
}
