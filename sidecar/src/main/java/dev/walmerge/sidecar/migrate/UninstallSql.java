package dev.walmerge.sidecar.migrate;

/** The SQL text of {@link Uninstall}. */
final class UninstallSql {
    static final String IS_INSTALLED = "select exists (select from pg_catalog.pg_namespace where nspname = 'crdt'),"
            + " exists (select from pg_catalog.pg_class where relname = 'migration' and relnamespace = ("
            + "select oid from pg_catalog.pg_namespace where nspname = 'crdt'))";

    /** The same lock that a sidecar holds as long as it writes documents. */
    static final String TRY_LOCK = "select pg_try_advisory_lock(hashtextextended('walmerge documents', 0))";

    static final String HOLDERS = """
            select l.pid from pg_catalog.pg_locks l
            where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.pid <> pg_backend_pid()
              and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
              and l.classid::bigint << 32 | l.objid::bigint = hashtextextended('walmerge documents', 0)""";

    /** Slots that a sidecar has used in this database, and who reads them. */
    static final String SLOTS = """
            select s.slot_name, s.active_pid from pg_catalog.pg_replication_slots s
            where s.database = current_database() and s.plugin = 'pgoutput' and s.slot_name in (select slot from crdt.progress)
            order by 1""";

    static final String END = "select pg_terminate_backend(?)";

    /** Waits a second for a reader that was ended. */
    static final String DROP_SLOT = """
            select pg_drop_replication_slot(slot_name) from pg_catalog.pg_replication_slots where slot_name = ?""";

    /**
     * What is not in the schema but would go with it: views, foreign keys, functions of the app. An object's address
     * begins with its schema, a rule's or a constraint's with that of its table. An index or a default of our own tables
     * depends on our own functions, so whatever is in the schema is left out.
     */
    static final String DEPENDENTS = """
            with ours as (
              select 'pg_catalog.pg_class'::regclass as classid, oid as objid from pg_catalog.pg_class where relnamespace = 'crdt'::regnamespace
              union all
              select 'pg_catalog.pg_proc'::regclass, oid from pg_catalog.pg_proc where pronamespace = 'crdt'::regnamespace
              union all
              select 'pg_catalog.pg_type'::regclass, oid from pg_catalog.pg_type where typnamespace = 'crdt'::regnamespace
              union all
              select 'pg_catalog.pg_constraint'::regclass, oid from pg_catalog.pg_constraint where connamespace = 'crdt'::regnamespace
            )
            select distinct o.type || ' ' || o.identity
            from ours join pg_catalog.pg_depend d on d.refclassid = ours.classid and d.refobjid = ours.objid
              left join pg_catalog.pg_rewrite w on d.classid = 'pg_catalog.pg_rewrite'::regclass and w.oid = d.objid
              cross join lateral pg_catalog.pg_identify_object(
                case when w.oid is null then d.classid else 'pg_catalog.pg_class'::regclass end,
                coalesce(w.ev_class, d.objid), d.objsubid) o
              cross join lateral pg_catalog.pg_identify_object_as_address(d.classid, d.objid, d.objsubid) a
            where d.deptype in ('n', 'a') and o.schema is distinct from 'crdt' and a.object_names[1] <> 'crdt'
              and o.type not in ('publication relation', 'toast table', 'toast table column')
            order by 1""";

    static final String DOCUMENTS = "select count(*) from crdt.docs";

    static final String OWNER =
            "select pg_has_role(nspowner, 'usage') from pg_catalog.pg_namespace where nspname = 'crdt'";

    /** Everything in one transaction; nobody waits behind it for long. */
    static final String DROP = """
            set local lock_timeout = '10s';
            drop publication if exists walmerge;
            drop schema crdt cascade""";

    private UninstallSql() {}
}
