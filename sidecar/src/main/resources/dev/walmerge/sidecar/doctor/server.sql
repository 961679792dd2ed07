-- What the server, the database and the login role say of themselves, one row a check: its name, how bad it is, what was
-- found, what it means, the cure. Runs on 15 to 18, also where nothing is installed yet. The parameter is the slot's name.
with s as (
  -- as an object, because not every version has every setting
  select jsonb_object_agg(name, setting) as v from pg_settings
), me as (
  select r.*, rolsuper or rolreplication
      or coalesce((select pg_has_role(r.oid, p.oid, 'usage') from pg_roles p where p.rolname = 'rds_replication'), false)
      as may_replicate,
    coalesce((select pg_has_role(r.oid, p.oid, 'usage') from pg_roles p where p.rolname = 'crdt_sidecar'), false) as is_sidecar
  from pg_roles r where rolname = current_user
), provider as (
  select case
      when exists (select from pg_roles where rolname = 'rds_superuser') then 'rds'
      when exists (select from pg_roles where rolname = 'cloudsqlsuperuser') then 'cloudsql'
      when exists (select from pg_roles where rolname = 'supabase_admin') then 'supabase'
      when exists (select from pg_roles where rolname = 'neon_superuser') then 'neon'
      when exists (select from pg_roles where rolname = 'azure_pg_admin') then 'azure'
    end as name
), slots as (
  select count(*) as used, count(*) filter (where slot_name = ?) as ours,
    (s.v ->> 'max_replication_slots')::int as most
  from s left join pg_replication_slots on true group by s.v
), senders as (
  select (select count(*) from pg_stat_activity where backend_type = 'walsender') as used,
    (select count(*) from pg_replication_slots where slot_name = ? and active) as ours, (s.v ->> 'max_wal_senders')::int as most
  from s
), finding (place, name, severity, found, meaning, cure) as (
  select 10, 'server-version', case when n between 15 and 18 then 'ok' when n > 18 then 'warning' else 'critical' end,
    current_setting('server_version'), 'walmerge is tested on 15 to 18', 'use one of those'
  from (select current_setting('server_version_num')::int / 10000 as n) v
  union all
  select 11, 'primary', case when pg_is_in_recovery() then 'critical' else 'ok' end,
    case when pg_is_in_recovery() then 'a standby' else 'not in recovery' end,
    'the sidecar writes what it merged', 'give the URL of the primary'
  union all
  select 12, 'encoding', case when v ->> 'server_encoding' = 'UTF8' then 'ok' else 'critical' end, v ->> 'server_encoding',
    'texts hold any character of Unicode', 'create a database with encoding UTF8' from s
  union all
  select 13, 'read-only', case when v ->> 'default_transaction_read_only' = 'off' then 'ok' else 'critical' end,
    'default_transaction_read_only is ' || (v ->> 'default_transaction_read_only'),
    'every write-back would be refused', coalesce((select string_agg(format('alter %s reset default_transaction_read_only',
        case when setrole = 0 then format('database %I', datname) when setdatabase = 0 then format('role %I', rolname)
          else format('role %I in database %I', rolname, datname) end), '; ')
      from pg_db_role_setting left join pg_roles on pg_roles.oid = setrole left join pg_database on pg_database.oid = setdatabase
      where (setrole = 0 or rolname = current_user) and (setdatabase = 0 or datname = current_database())
        and exists (select from unnest(setconfig) c where lower(c) like 'default_transaction_read_only=%')),
      'set default_transaction_read_only = off in the server''s configuration, or in the connection''s options')
  from s
  union all
  select 20, 'wal-level', case when v ->> 'wal_level' = 'logical' then 'ok' else 'critical' end, v ->> 'wal_level',
    'without logical decoding nothing can be read', case provider.name
      when 'rds' then 'rds.logical_replication = 1 in the parameter group, then reboot'
      when 'cloudsql' then 'the flag cloudsql.logical_decoding = on, which restarts the instance'
      when 'neon' then 'enable Logical Replication in the project''s settings'
      when 'azure' then 'the server parameter wal_level = LOGICAL, then restart'
      else 'alter system set wal_level = logical, then restart the server' end
  from s, provider
  union all
  select 21, 'replication-slots', case when ours > 0 or used < most then 'ok' else 'critical' end,
    format('%s of %s in use', used, most), 'the sidecar reads one slot', 'raise max_replication_slots and restart, or drop one that nobody reads'
  from slots
  union all
  select 22, 'wal-senders', case when ours > 0 or used < most then 'ok' else 'critical' end,
    format('%s of %s in use', used, most), 'reading a slot takes a sender', 'raise max_wal_senders and restart'
  from senders
  union all
  select 23, 'connections',
    case when (v ->> 'max_connections')::int - used
      - (v ->> 'superuser_reserved_connections')::int - coalesce((v ->> 'reserved_connections')::int, 0) < 6
      then 'warning' else 'ok' end,
    format('%s of %s in use', used, v ->> 'max_connections'),
    'the sidecar keeps up to five sessions and one more a shard', 'raise max_connections, or let the apps use a pooler'
  from s, (select count(*) as used from pg_stat_activity where backend_type = 'client backend') a
  union all
  select 30, 'role-replication', case when may_replicate then 'ok' else 'critical' end,
    format('%s %s replicate', rolname, case when may_replicate then 'may' else 'may not' end),
    'reading a slot takes the attribute REPLICATION', case provider.name
      when 'rds' then format('grant rds_replication to %I', rolname)
      when 'neon' then 'log in as a role made in the console, the API or the CLI: it has REPLICATION'
      else format('alter role %I replication, by a superuser or the provider''s admin', rolname) end
  from me, provider
  union all
  select 31, 'role-sidecar', case when is_sidecar then 'ok' else 'critical' end,
    format('%s has %sthe rights of crdt_sidecar', rolname, case when is_sidecar then '' else 'not ' end),
    'it reads ops and writes documents', format('ops/walmerge init --sidecar-role %s, as the database''s owner', rolname)
  from me
  union all
  select 32, 'row-security', case when count(*) > 0 then 'critical' else 'ok' end,
    case when count(*) > 0 then 'in force on ' || string_agg(c.oid::regclass::text, ', ' order by c.relname) else 'no policy hides a row' end,
    'rows that a policy hides would be missing from documents',
    'alter role ... bypassrls, or a policy for the sidecar''s role that hides nothing'
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'crdt' and c.relkind in ('r', 'p') and row_security_active(c.oid)
  union all
  select 40, 'toast-compression',
    case when v ->> 'default_toast_compression' = 'lz4' then 'ok' when has_lz4 then 'hint' else 'ok' end,
    (v ->> 'default_toast_compression') || case when has_lz4 then '' else ', this server has no lz4' end,
    'writing a document of 100 kB takes four times the CPU under pglz',
    'alter database ... set default_toast_compression = lz4'
  from s, (select 'lz4' = any (enumvals) as has_lz4 from pg_settings where name = 'default_toast_compression') e
  union all
  select 41, 'synchronous-commit', case when v ->> 'synchronous_commit' = 'off' then 'hint' else 'ok' end,
    v ->> 'synchronous_commit', 'a commit is sent to the slot once it is flushed, up to three wal_writer_delay later',
    'leave it on for the apps that write ops' from s
  union all
  select 42, 'fsync', case when v ->> 'fsync' = 'on' and v ->> 'full_page_writes' = 'on' then 'ok' else 'warning' end,
    format('fsync %s, full_page_writes %s', v ->> 'fsync', v ->> 'full_page_writes'),
    'a crash of the machine may damage the database', 'set both to on' from s
  union all
  select 43, 'autovacuum', case when v ->> 'autovacuum' = 'on' then 'ok' else 'warning' end, v ->> 'autovacuum',
    'documents are updated and tails deleted: their tables would grow without end', 'set autovacuum = on' from s
  union all
  select 50, 'wal-sender-timeout', case when (v ->> 'wal_sender_timeout')::int between 1 and 4999 then 'warning' else 'ok' end,
    (v ->> 'wal_sender_timeout') || ' ms', 'a pause of the JVM longer than that ends the stream, which then begins again',
    'set wal_sender_timeout to 10 s or more' from s
  union all
  select 51, 'slot-timeout', case when v ->> 'idle_replication_slot_timeout' <> '0' then 'warning' else 'ok' end,
    'idle_replication_slot_timeout is ' || (v ->> 'idle_replication_slot_timeout'),
    'a sidecar that is down for longer finds its slot lost and reads everything from the tables',
    'set it to 0, or to more than the longest stop' from s where v -> 'idle_replication_slot_timeout' is not null
  union all
  select 52, 'wal-kept', case when v ->> 'max_slot_wal_keep_size' = '-1' then 'hint' else 'ok' end,
    'max_slot_wal_keep_size is ' || (v ->> 'max_slot_wal_keep_size') || case when v ->> 'max_slot_wal_keep_size' = '-1' then ', no limit' else ' MB' end,
    'while the sidecar is down the slot keeps WAL, without a limit until the disk is full',
    'set it to what the disk can spare: beyond it the slot is lost, which costs a resync and no data' from s
  union all
  select 53, 'standby-slots', 'warning', 'synchronized_standby_slots is ' || (v ->> 'synchronized_standby_slots'),
    'while such a standby is down the sidecar receives nothing', 'watch those standbys as you watch the sidecar'
  from s where v ->> 'synchronized_standby_slots' <> ''
  union all
  select 54, 'other-slots', case when count(*) > 0 then 'warning' else 'ok' end,
    case when count(*) = 0 then 'no other slot of this kind is left unread' else string_agg(format('nobody reads %I, it keeps %s of WAL', slot_name,
      pg_size_pretty(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, restart_lsn))), '; ') end,
    'a slot that nobody reads keeps WAL until the disk is full: of a sidecar that had another --slot, or of a subscription',
    coalesce('unless its reader is to come back: ' || string_agg(format('select pg_drop_replication_slot(%L)', slot_name), '; '), 'nothing to do')
  from pg_replication_slots where plugin = 'pgoutput' and database = current_database() and not active and slot_name <> ?
  union all
  select 60, 'prepared-transactions', case when count(*) > 0 then 'warning' else 'ok' end,
    format('%s prepared, the oldest %s', count(*), coalesce(min(prepared)::text, 'none')),
    'each one holds the slot''s WAL, and the creation of a slot waits for it', 'commit or roll back those nobody will finish'
  from pg_prepared_xacts where prepared < now() - interval '1 minute'
  union all
  select 61, 'long-transactions', case when count(*) > 0 then 'warning' else 'ok' end,
    format('%s older than a minute', count(*)), 'the first start waits for every transaction that has written something',
    'end them before the first start'
  from pg_stat_activity, slots where ours = 0 and backend_xid is not null and xact_start < now() - interval '1 minute'
  union all
  select 70, 'provider', 'ok', case provider.name
      when 'rds' then 'Amazon RDS or Aurora' when 'cloudsql' then 'Google Cloud SQL' when 'supabase' then 'Supabase'
      when 'neon' then 'Neon' when 'azure' then 'Azure' else 'none that is known' end,
    case provider.name
      when 'rds' then 'a restore or a blue/green switch makes a server without the slot: the sidecar then reads everything from the tables'
      when 'cloudsql' then 'slots do not survive a switch to a replica: the sidecar then reads everything from the tables'
      when 'supabase' then 'give the direct connection, not the pooler on port 6543'
      when 'neon' then 'give the direct host, not the one with -pooler; a slot that is idle for long is removed, and an active one keeps the compute awake'
      when 'azure' then 'slots do not survive a failover unless they are synchronized: the sidecar then reads everything from the tables'
      else 'an own server, or a provider that leaves no trace' end,
    'nothing to do'
  from provider
)
select name, severity, found, meaning, cure from finding order by place
