package dev.walmerge.engine.writeback;

/** The SQL text of dead letters and commands, all of it. */
final class LetterSql {
    /** One that is there already is left alone. */
    static final String PUT = """
            insert into crdt.dead_letter
              (collection, doc, lsn, seq, row_id, format, payload, op, role, rule, reason, byte_offset)
            values (?, ?, ?::pg_lsn, ?, ?, ?, ?, ?::jsonb, ?, ?, ?, ?)
            on conflict (collection, row_id) do nothing""";

    static final String REFUSE_AGAIN = "update crdt.dead_letter set rule = ?, reason = ?, byte_offset = ? where id = ?";

    static final String REMOVE = "delete from crdt.dead_letter where id = any (?)";

    static final String DONE = "update crdt.command set done_at = coalesce(done_at, now()) where id = ?";

    static final String PAGE = """
            select id, collection, doc from crdt.dead_letter
            where id > ? and collection = ? and (?::bigint is null or id = ?::bigint)
              and (?::text is null or doc = ?::text) and (?::text is null or rule = ?::text)
            order by id limit ?""";

    static final String LOAD = """
            select collection, doc, format, payload, op::text as op, role, coalesce(row_id, 0) as row_id
            from crdt.dead_letter where id = ?""";

    private LetterSql() {}
}
