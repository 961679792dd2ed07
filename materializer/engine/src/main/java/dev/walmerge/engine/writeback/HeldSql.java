package dev.walmerge.engine.writeback;

/** The SQL text of {@code held}, all of it. */
final class HeldSql {
    /** A conflict is the same row again, after a commit whose end was not seen, or a newer error. */
    static final String PUT = """
            insert into crdt.held (doc, kind, seq, format, payload, row_id, merged_lsn, op_count, error)
            values (?, ?, ?, ?, ?, ?, ?::pg_lsn, ?, ?)
            on conflict (doc, kind, seq) do update set merged_lsn = excluded.merged_lsn, op_count = excluded.op_count,
              error = excluded.error""";

    static final String APPEND = """
            insert into crdt.held (doc, kind, seq, format, payload, merged_lsn, op_count, error)
            select ?, 'change', coalesce(max(h.seq), 0) + 1, 'yjs-v1', ?, ?::pg_lsn, ?, ?
            from crdt.held h where h.doc = ? and h.kind = 'change'""";

    static final String REMOVE_PARKED = "delete from crdt.held where doc = ? and kind = 'parked' and seq = any (?)";

    /** Moves nothing for a document without a state: a tail alone would never be read. */
    static final String MOVE_CHANGES = """
            insert into crdt.tail (doc, seq, format, payload, merged_lsn, op_count)
            select h.doc, coalesce((select max(t.seq) from crdt.tail t where t.doc = h.doc), 0)
                + row_number() over (order by h.seq), h.format, h.payload, h.merged_lsn, h.op_count
            from crdt.held h join crdt.ydoc y on y.doc = h.doc
            where h.doc = ? and h.kind = 'change'""";

    static final String MOVE_PARKED = """
            insert into crdt.parked (doc, seq, format, payload, row_id, lsn)
            select doc, seq, format, payload, row_id, merged_lsn from crdt.held where doc = ? and kind = 'parked'
            on conflict (doc, seq) do nothing""";

    static final String REMOVE_ROWS = "delete from crdt.held where doc = ? and kind = ?";

    /** Documents of which something was refused, be it to be deleted, in the order of their keys. */
    static final String SUSPECTS = """
            select doc from (
              select doc from crdt.held where doc > ?
              union
              select doc from crdt.docs where error is not null and error like '%s%%' and doc > ?
              union
              select doc from crdt.forgotten where error is not null and collection = 'default' and doc > ?) refused
            order by doc limit ?""".formatted(DocumentSql.PROJECTION_ERROR);

    private HeldSql() {}
}
