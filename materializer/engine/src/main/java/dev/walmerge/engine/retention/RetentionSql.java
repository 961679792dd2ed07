package dev.walmerge.engine.retention;

/** The SQL text of the op ring. {@code %1$d} is a leaf. */
final class RetentionSql {
    /** Where the ring is, and which leaves hold rows. */
    static final String RING = """
            select last_value, (select array_agg(leaf order by leaf) from (
              select 0 as leaf where exists (select from crdt.ops_0)
              union all select 1 where exists (select from crdt.ops_1)
              union all select 2 where exists (select from crdt.ops_2)
              union all select 3 where exists (select from crdt.ops_3)
              union all select 4 where exists (select from crdt.ops_4)
              union all select 5 where exists (select from crdt.ops_5)
              union all select 6 where exists (select from crdt.ops_6)
              union all select 7 where exists (select from crdt.ops_7)) o) as leaves
            from crdt.ops_id_seq""";

    /** A keystroke must not wait for us longer than that. */
    static final String SHORT_LOCKS = "set local lock_timeout = '100ms'";

    /** Waits for every transaction that inserted into the leaf, and keeps new ones out while the rows are looked at. */
    static final String LOCK = "lock table crdt.ops_%1$d in share mode";

    /** The LSN is taken under the lock: whoever inserted has written its commit record before it let go. */
    static final String LOOK = """
            select count(*), coalesce(sum(id), 0)::text, pg_current_wal_insert_lsn()::text from crdt.ops_%1$d""";

    static final String BARRIER = "select pg_logical_emit_message(true, 'walmerge', '')";

    /** Locked until the end of the transaction, so that nobody takes over, and reads the leaf, before it is gone. */
    static final String FENCE = """
            select written::text from crdt.progress where slot = ? and epoch = ? for share""";

    static final String TRUNCATE = "truncate crdt.ops_%1$d";

    /**
     * How old the first row is. It is in the first page, unless that was freed: then any row will do. A range of ctid
     * reads one page, where an aggregate alone would read the leaf.
     */
    static final String AGE = """
            select extract(epoch from now() - coalesce(
              (select min(at) from crdt.ops_%1$d where ctid < '(1,0)'),
              (select at from crdt.ops_%1$d limit 1)))""";

    /**
     * Forward to the start of the next leaf. Reading the sequence and setting it is not atomic, and setting it back would
     * give ids away twice: so only with a quarter of the leaf to go, which no inserters use up in between.
     */
    static final String ROTATE = """
            select setval('crdt.ops_id_seq', ((last_value >> 20) + 1) << 20, false)
            from crdt.ops_id_seq
            where is_called and (last_value >> 20) & 7 = ? and last_value & 1048575 < 786432""";

    private RetentionSql() {}
}
