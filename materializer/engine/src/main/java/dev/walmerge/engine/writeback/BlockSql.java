package dev.walmerge.engine.writeback;

/** The SQL text of blocks, all of it. Each statement is about one document. */
final class BlockSql {
    static final String READ = "select block_id, seq, kind, path, text from crdt.blocks where doc = ?";

    static final String REMOVE = "delete from crdt.blocks where doc = ? and block_id = any (?)";

    /** The text is not mentioned, so the row stays HOT and no index is touched. */
    static final String MOVE = """
            update crdt.blocks b set seq = s.seq, kind = s.kind, path = s.path
            from (select ?::text as doc) d, unnest(?::text[], ?::int[], ?::text[], ?::text[]) s (block_id, seq, kind, path)
            where b.doc = d.doc and b.block_id = s.block_id""";

    static final String PUT = """
            insert into crdt.blocks (doc, block_id, seq, kind, path, text)
            select d.doc, s.block_id, s.seq, s.kind, s.path, s.text
            from (select ?::text as doc) d,
              unnest(?::text[], ?::int[], ?::text[], ?::text[], ?::text[]) s (block_id, seq, kind, path, text)
            on conflict (doc, block_id) do update
              set seq = excluded.seq, kind = excluded.kind, path = excluded.path, text = excluded.text""";

    private BlockSql() {}
}
