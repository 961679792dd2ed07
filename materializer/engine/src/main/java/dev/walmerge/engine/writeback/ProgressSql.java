package dev.walmerge.engine.writeback;

/** The SQL text of the progress row, all of it. */
final class ProgressSql {
    static final String INSERT = """
            insert into crdt.progress
              (slot, system_identifier, timeline, nonce, epoch, written, updated_at, publication)
            values (?, ?, ?, ?, 1, '0/0', now(), crdt.publication_state())
            on conflict (slot) do nothing""";

    static final String LOCK = """
            select system_identifier, timeline, nonce, epoch, written::text as written, journaled
            from crdt.progress where slot = ? for update""";

    static final String TAKE_OVER = """
            update crdt.progress set system_identifier = ?, timeline = ?, epoch = ?, nonce = ?,
              written = ?::pg_lsn, updated_at = now()
            where slot = ?""";

    /**
     * Positions of another incarnation say nothing here, and one that is too high would make ops be skipped that no row
     * holds.
     */
    static final String FORGET_POSITIONS = """
            update crdt.ydoc set merged_lsn = '0/0' where merged_lsn <> '0/0';
            update crdt.tail set merged_lsn = '0/0' where merged_lsn <> '0/0';
            update crdt.held set merged_lsn = '0/0' where merged_lsn <> '0/0';
            update crdt.docs set merged_lsn = '0/0' where merged_lsn <> '0/0';
            update crdt.forgotten set merged_lsn = '0/0' where merged_lsn <> '0/0'""";

    /**
     * Documents are the database's, not a slot's: whoever writes them by another slot must stop. Who waits for freshness
     * looks at the row that changed last, which a dump from a server with a faster clock must not be.
     */
    static final String FENCE_OTHER_SLOTS = """
            update crdt.progress set epoch = epoch + 1, updated_at = least(updated_at, now() - interval '1 s')
            where slot <> ?""";

    /** Whoever has a row locked is the transaction its xmax names. Only sessions of our own role are ended. */
    static final String END_HOLDERS = """
            select count(pg_terminate_backend(a.pid))
            from crdt.progress p join pg_stat_activity a on a.backend_xid = p.xmax
            where a.usename = current_user and a.pid <> pg_backend_pid()""";

    /**
     * The fence of every write-back. The nonce must be the one of our last transaction, or, when we do not know how that
     * one ended, of the one before: anything else is a server that went back in time. And the publication must be the one
     * that the slot was made with: what came since it changed may lack ops, so nothing counts as written.
     */
    static final String ADVANCE = """
            update crdt.progress set nonce = ?, written = greatest(written, ?::pg_lsn), updated_at = now()
            where slot = ? and epoch = ? and nonce = any (?) and publication = crdt.publication_state()""";

    static final String BEFORE = """
            select written::text, nonce, journaled from crdt.progress
            where slot = ? and system_identifier = ? and timeline = ? and publication = crdt.publication_state()""";

    static final String START_OVER = """
            update crdt.progress set written = '0/0', journaled = false, publication = crdt.publication_state(),
              resync_rows = null, resync_done = null, updated_at = now()
            where slot = ? and epoch = ?""";

    /** Not in a write-back: that may be what is held up. */
    static final String MARK_JOURNALED = "update crdt.progress set journaled = true where slot = ? and epoch = ?";

    static final String UNMARK_JOURNALED =
            "update crdt.progress set journaled = false where slot = ? and epoch = ? and written >= ?::pg_lsn";

    static final String WHO = """
            select epoch, nonce = any (?), publication = crdt.publication_state() from crdt.progress where slot = ?""";

    private ProgressSql() {}
}
