package dev.walmerge.engine.writeback;

/** The SQL text of documents, all of it. Each statement reads or writes one document, by primary key. */
final class DocumentSql {
    /** What a docs row's error starts with while its text and JSON are older than the document. */
    static final String PROJECTION_ERROR = "projection-failed";

    /** One statement, hence one snapshot, and one round trip. */
    static final String LOAD = """
            select y.state_format, y.state,
              greatest(y.merged_lsn, t.merged_lsn, d.merged_lsn)::text as merged_lsn,
              greatest(y.op_count, t.op_count, d.op_count) as op_count,
              d.body_text, d.doc is not null and d.error not like '%1$s%%' is not false as projected,
              t.payloads as tail_payloads,
              p.seqs, p.formats, p.payloads, p.row_ids, p.lsns
            from crdt.ydoc y
              left join crdt.docs d on d.doc = y.doc
              left join lateral (
                select max(merged_lsn) as merged_lsn, max(op_count) as op_count,
                  array_agg(payload order by seq) as payloads
                from crdt.tail where doc = y.doc) t on true
              left join lateral (
                select array_agg(seq order by seq) as seqs, array_agg(format order by seq) as formats,
                  array_agg(payload order by seq) as payloads,
                  array_agg(coalesce(row_id, 0) order by seq) as row_ids,
                  array_agg(lsn::text order by seq) as lsns
                from crdt.parked where doc = y.doc) p on true
            where y.doc = ?""".formatted(PROJECTION_ERROR);

    private DocumentSql() {}
}
