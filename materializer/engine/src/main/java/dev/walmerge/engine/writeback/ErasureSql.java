package dev.walmerge.engine.writeback;

import java.util.List;

/** The SQL text of tombstones, all of it. */
final class ErasureSql {
    static final String PUT = """
            insert into crdt.forgotten (collection, doc, forgotten_at, revived_at, merged_lsn, error)
            values (?, ?, now(), case when not ? then now() end, ?::pg_lsn, ?)
            on conflict (collection, doc) do update set
              forgotten_at = case when ? then excluded.forgotten_at else forgotten.forgotten_at end,
              revived_at = excluded.revived_at, merged_lsn = excluded.merged_lsn, error = excluded.error""";

    /** Each takes the document; dead letters are those of the collection that has these tables. */
    static final List<String> DELETES = List.of(
            "delete from crdt.docs where doc = ?",
            "delete from crdt.blocks where doc = ?",
            "delete from crdt.ydoc where doc = ?",
            "delete from crdt.tail where doc = ?",
            "delete from crdt.parked where doc = ?",
            "delete from crdt.held where doc = ?",
            "delete from crdt.dead_letter where collection = 'default' and doc = ?");

    private ErasureSql() {}
}
