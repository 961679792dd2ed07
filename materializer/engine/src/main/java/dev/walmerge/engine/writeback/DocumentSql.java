package dev.walmerge.engine.writeback;

/** The SQL text of documents, all of it. Each statement reads or writes one document, by primary key. */
final class DocumentSql {
    /** What a docs row's error starts with while its text and JSON are older than the document. */
    static final String PROJECTION_ERROR = "projection-failed";

    /** One statement, hence one snapshot, and one round trip. */
    static final String LOAD = """
            select y.state_format, y.state,
              greatest(y.merged_lsn, t.merged_lsn, h.merged_lsn, d.merged_lsn, f.merged_lsn)::text as merged_lsn,
              coalesce(greatest(y.op_count, t.op_count, h.op_count, d.op_count), 0) as op_count,
              f.merged_lsn::text as forgotten_lsn, f.revived_at is null as forgotten, f.error is null as erased,
              d.body_text,
              d.doc is not null and d.error not like '%1$s%%' is not false and not coalesce(h.docs, false) as projected,
              exists (select from crdt.blocks b where b.doc = k.doc) as blocks,
              t.payloads as tail_payloads, h.payloads as held_payloads, h.error as held,
              p.seqs, p.formats, p.payloads, p.row_ids, p.lsns
            from (select ?::text as doc) k
              left join crdt.ydoc y on y.doc = k.doc
              left join crdt.docs d on d.doc = k.doc
              left join crdt.forgotten f on f.collection = 'default' and f.doc = k.doc
              left join lateral (
                select max(merged_lsn) as merged_lsn, max(op_count) as op_count,
                  array_agg(payload order by seq) as payloads
                from crdt.tail where doc = k.doc) t on true
              left join lateral (
                select max(merged_lsn) as merged_lsn, max(op_count) as op_count, bool_or(kind = 'docs') as docs,
                  max(error) filter (where kind <> 'docs') as error,
                  array_agg(payload order by seq) filter (where kind = 'change') as payloads
                from crdt.held where doc = k.doc) h on true
              left join lateral (
                select array_agg(seq order by seq) as seqs, array_agg(format order by seq) as formats,
                  array_agg(payload order by seq) as payloads,
                  array_agg(coalesce(row_id, 0) order by seq) as row_ids,
                  array_agg(lsn::text order by seq) as lsns
                from (
                  select seq, format, payload, row_id, lsn from crdt.parked where doc = k.doc
                  union all
                  select seq, format, payload, row_id, merged_lsn from crdt.held
                  where doc = k.doc and kind = 'parked') waiting) p on true
            where y.doc is not null or h.op_count is not null or f.doc is not null""".formatted(PROJECTION_ERROR);

    static final String PUT_STATE = """
            insert into crdt.ydoc (doc, state_format, state, state_vector, merged_lsn, op_count, compacted_at)
            values (?, ?, ?, ?, ?::pg_lsn, ?, now())
            on conflict (doc) do update set state_format = excluded.state_format, state = excluded.state,
              state_vector = excluded.state_vector, merged_lsn = excluded.merged_lsn, op_count = excluded.op_count,
              compacted_at = excluded.compacted_at""";

    static final String DELETE_TAIL = "delete from crdt.tail where doc = ?";

    /** Inserts nothing for a document without a state: a tail alone would never be read. */
    static final String PUT_TAIL = """
            insert into crdt.tail (doc, seq, format, payload, merged_lsn, op_count)
            select y.doc, coalesce((select max(t.seq) from crdt.tail t where t.doc = y.doc), 0) + 1, 'yjs-v1',
              ?, ?::pg_lsn, ?
            from crdt.ydoc y where y.doc = ?""";

    static final String DELETE_PARKED = "delete from crdt.parked where doc = ? and seq = any (?)";

    /** A conflict is the same update again, after a commit whose end was not seen. */
    static final String PUT_PARKED = """
            insert into crdt.parked (doc, seq, format, payload, row_id, lsn) values (?, ?, ?, ?, ?, ?::pg_lsn)
            on conflict (doc, seq) do nothing""";

    static final String INSERT_DOCS = """
            insert into crdt.docs (doc, version, epoch, body_text, body_json, complete, missing, merged_lsn, op_count,
              staleness, staleness_bound, updated_at, warning, error)
            values (?, 1, ?, ?, ?::jsonb, ?, ?::jsonb, ?::pg_lsn, ?, ? * interval '1 ms', ?, now(), ?, ?)""";

    /** The row goes on saying what it said, at its old position; only the error is new. */
    static final String FAIL_DOCS = "update crdt.docs set error = ? where doc = ?";

    static final String INSERT_FAILED_DOCS = """
            insert into crdt.docs (doc, version, epoch, complete, merged_lsn, op_count, staleness, staleness_bound,
              updated_at, error)
            values (?, 1, ?, false, '0/0', 0, ? * interval '1 ms', ?, now(), ?)""";

    static final String FIRST_PAGE = "select doc from crdt.docs order by doc limit ?";

    static final String PAGE = "select doc from crdt.docs where doc > ? order by doc limit ?";

    static final String OPEN_REPROJECTIONS =
            "select id, collection, doc from crdt.command where name = 'reproject' and done_at is null order by id";

    private DocumentSql() {}

    /**
     * A statement a shape, because a column that is set is written again even to the same value: the row would not stay
     * HOT, and the full-text index would be maintained for nothing.
     */
    static String updateDocs(boolean withText, boolean withJson) {
        // While text and JSON are older than the document, only a write of both may move the position.
        String stale = withText && withJson ? "false" : "coalesce(error like '" + PROJECTION_ERROR + "%', false)";
        return """
                update crdt.docs set version = version + ?, epoch = ?, %s%s
                  complete = ?, missing = ?::jsonb,
                  merged_lsn = case when %3$s then merged_lsn else ?::pg_lsn end,
                  op_count = ?, staleness = ? * interval '1 ms', staleness_bound = ?, updated_at = now(),
                  warning = ?, error = coalesce(?, case when %3$s then error end)
                where doc = ?""".formatted(withText ? "body_text = ?," : "", withJson ? " body_json = ?::jsonb," : "", stale);
    }
}
