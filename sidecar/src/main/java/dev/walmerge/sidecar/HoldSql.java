package dev.walmerge.sidecar;

/** The SQL text of {@link Hold}, and of who is in its way. */
final class HoldSql {
    static final String TRY_LOCK = "select pg_try_advisory_lock(hashtextextended('walmerge documents', 0))";

    /**
     * A session that waits for its client shows when that spoke last. Those of other roles show nothing, and may not be
     * ended.
     */
    static final String END_SILENT_HOLDER = """
            select count(pg_terminate_backend(a.pid)) > 0
            from pg_locks l join pg_stat_activity a on a.pid = l.pid
            where l.locktype = 'advisory' and l.granted and l.objsubid = 1
              and l.database = (select oid from pg_database where datname = current_database())
              and l.classid::bigint << 32 | l.objid::bigint = hashtextextended('walmerge documents', 0)
              and a.usename = current_user and a.state like 'idle%%'
              and clock_timestamp() - a.state_change > interval '%d s'""";

    static final String LOOK = """
            select epoch, nonce, written <> '0/0' as written,
              coalesce(publication = crdt.publication_state(), false) as published
            from crdt.progress where slot = ?""";

    static final String SHOW_RESYNC =
            "update crdt.progress set resync_rows = ?, resync_done = ? where slot = ? and epoch = ?";

    /** Not when it says so already: it is a row of the WAL. */
    static final String SHOW_FAILING = """
            update crdt.progress set failing = ?, failing_since = now() - make_interval(secs => ?)
            where slot = ? and epoch = ? and failing is distinct from ?""";

    /** A reader of ours that is left over: whoever has the lock is the only one that may read. */
    static final String END_READER = """
            select count(pg_terminate_backend(s.active_pid)) > 0
            from pg_replication_slots s join pg_stat_activity a on a.pid = s.active_pid
            where s.slot_name = ? and a.usename = current_user and a.application_name like 'walmerge %'""";

    static final String PUBLISHED = "select crdt.publication_state() is not null";

    static final String EPOCH = "select epoch from crdt.progress where slot = ?";

    /** What the slot was told while nothing was left to write. */
    static final String SETTLE = """
            update crdt.progress set written = greatest(written, ?::pg_lsn) where slot = ? and epoch = ?
              and written <> '0/0' and publication = crdt.publication_state()""";

    private HoldSql() {}
}
