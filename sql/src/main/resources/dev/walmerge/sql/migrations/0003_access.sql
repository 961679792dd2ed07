-- Migration 3: how the system is: views; what the sidecar streams: the publication; who may do what: roles and grants.

-- Views --------------------------------------------------------------------------------------------------------------

-- Where the WAL ends for this server: a primary's insert position, a standby's replay position.
create function crdt.wal_end() returns pg_lsn
language sql volatile
as $$
  select case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
    else pg_catalog.pg_current_wal_insert_lsn() end
$$;
comment on function crdt.wal_end() is 'Inner part of crdt.lag and crdt.health: where the WAL of this server ends.';

-- A slot on a quiet database is told what was received, so what lies between `written` and `confirmed` held no op.
create view crdt.lag as
select c.name as collection,
  p.slot,
  p.written,
  s.confirmed_flush_lsn as confirmed,
  case when p.slot is not null then
    greatest(0, pg_wal_lsn_diff(crdt.wal_end(), greatest(p.written, s.confirmed_flush_lsn)))::bigint
  end as bytes_behind,
  (case
    when s.active and r.state is not null then coalesce(extract(epoch from r.flush_lag), 0)
    when s.active is not true and not pg_is_in_recovery() then extract(epoch from clock_timestamp() - p.updated_at)
  end)::numeric(12, 3) as seconds_behind,
  p.updated_at,
  coalesce(d.dead_letters, 0) as dead_letters,
  d.oldest_dead_letter
from (select distinct name from crdt.collection) c
left join lateral (select * from crdt.progress order by updated_at desc limit 1) p on true
left join pg_replication_slots s on s.slot_name = p.slot
left join pg_stat_replication r on r.pid = s.active_pid
left join (
  select collection, count(*) as dead_letters, min(at) as oldest_dead_letter from crdt.dead_letter group by collection
) d on d.collection = c.name;
comment on view crdt.lag is 'How far each collection is behind.';
comment on column crdt.lag.written is 'Every op committed up to here is written; null: no sidecar has ever run.';
comment on column crdt.lag.confirmed is 'What the slot was told; up to here nothing else is needed, as far as the sidecar knows.';
comment on column crdt.lag.bytes_behind is 'WAL that the sidecar has not confirmed, whatever it holds. Of a quiet database: what the last seconds wrote.';
comment on column crdt.lag.seconds_behind is 'While a sidecar streams: the server''s flush lag (null to roles without pg_read_all_stats). Else: since the last write-back. Null on a standby.';
comment on column crdt.lag.updated_at is 'When the sidecar last wrote anything back.';

create view crdt.health as
with progress as (
  select * from crdt.progress order by updated_at desc limit 1
), slot as (
  select p.slot, p.updated_at, s.slot_name is not null as found, s.active, s.wal_status,
    pg_wal_lsn_diff(crdt.wal_end(), s.restart_lsn) as retained
  from progress p left join pg_replication_slots s on s.slot_name = p.slot and s.database = current_database()
  where not pg_is_in_recovery() -- the slot is the primary's
), publication as (
  select pubinsert and pubviaroot as options,
    (select count(*) from pg_publication_rel r
     where r.prpubid = p.oid and r.prrelid in ('crdt.ops'::regclass, 'crdt.collection'::regclass)
       and r.prqual is null and r.prattrs is null) as tables
  from pg_publication p where pubname = 'walmerge'
), leaf as (
  select count(*) filter (where pg_relation_size(i.inhrelid::regclass) > 0) as filled, count(*) as leaves
  from pg_inherits i where i.inhparent = 'crdt.ops'::regclass
)
select 1 as seq, 'wal_level' as name,
  case when current_setting('wal_level') = 'logical' then 'ok' else 'critical' end as severity,
  'wal_level is ' || current_setting('wal_level') as finding,
  'Ops are read from the WAL, which must be written for logical decoding.' as meaning,
  'Set wal_level = logical (managed: the logical replication switch of the provider) and restart the server.' as cure
where not pg_is_in_recovery()
union all
select 1, 'standby', 'ok', 'this server is a standby', 'The settings and the slot that matter are those of the primary.',
  'select * from crdt.health on the primary.'
where pg_is_in_recovery()
union all
select 2, 'sidecar_started', case when exists (select from progress) then 'ok' else 'warning' end,
  case when exists (select from progress) then 'a sidecar has run on this database' else 'no sidecar has ever run on this database' end,
  'Until a sidecar runs, ops are only kept.',
  'walmerge run --url jdbc:postgresql://...'
union all
select 3, 'slot_exists', case when found then 'ok' else 'critical' end,
  format(case when found then 'the slot "%s" exists' else 'there is no slot "%s"' end, slot),
  'The slot keeps the WAL that the sidecar has not written. Without it, the sidecar starts again from the tables.',
  'Start the sidecar: it makes a new slot and resyncs. Ask who dropped this one (a failover, a restore, an idle limit).'
from slot
union all
select 4, 'slot_active', case when active then 'ok' else 'critical' end,
  format(case when active then 'a sidecar is reading the slot "%s"' else 'nobody is reading the slot "%s"' end, slot),
  'No sidecar is connected: documents grow stale, and the slot keeps WAL on the server''s disk.',
  'Start the sidecar, or see why it stops in its log. If walmerge is to go for good, drop the slot.'
from slot where found
union all
select 5, 'slot_wal_status',
  case wal_status when 'lost' then 'critical' when 'unreserved' then 'critical' when 'extended' then 'warning' else 'ok' end,
  format('wal_status of the slot "%s" is %s', slot, wal_status),
  'extended: more than max_wal_size is kept. unreserved: soon to be removed. lost: removed, the slot is of no use.',
  'Let the sidecar catch up, or raise max_slot_wal_keep_size. If lost: drop the slot and start the sidecar, it resyncs from the tables.'
from slot where found
union all
select 6, 'slot_retained',
  case when retained > 10 * 1024::bigint ^ 3 then 'critical' when retained > 1024::bigint ^ 3 then 'warning' else 'ok' end,
  format('the slot "%s" keeps %s of WAL', slot, pg_size_pretty(retained)),
  'WAL that a slot keeps fills the server''s disk.',
  'See slot_active and crdt.lag. A long transaction anywhere in the cluster also keeps WAL: see pg_stat_activity.xact_start.'
from slot where found
union all
select 7, 'publication', case when p.options and p.tables = 2 then 'ok' else 'critical' end,
  case when p.tables is null then 'there is no publication "walmerge"'
    when p.tables < 2 then 'the publication "walmerge" lacks crdt.ops or crdt.collection, or filters them'
    when not p.options then 'the publication "walmerge" does not publish inserts via the root'
    else 'the publication "walmerge" is whole' end,
  'What the publication lacks never reaches the sidecar; PG 18 skips it in silence.',
  'Never drop it while the slot exists. Run ops/walmerge init, which mends it; stop the sidecar and drop the slot if '
    'rows were inserted meanwhile, so that it reads them from the tables.'
from (values (1)) one left join publication p on true
union all
select 8, 'dead_letters', case when count(*) > 0 then 'warning' else 'ok' end,
  case when count(*) > 0 then format('%s ops were refused, the last at %s', count(*), max(at)) else 'no op was refused' end,
  'Ops that could not be merged, kept as they came; their documents lack them.',
  'select rule, count(*), max(reason) from crdt.dead_letter group by rule; then mend what writes them.'
from crdt.dead_letter
union all
select 9, 'documents', case when count(*) > 0 then 'warning' else 'ok' end,
  case when count(*) > 0 then format('%s documents have an error', count(*)) else 'no document has an error' end,
  'The text or JSON of these documents is old; crdt.load gives the whole of them.',
  'select doc, error from crdt.docs where error is not null'
from crdt.docs where error is not null
union all
select 10, 'ring', case when filled >= leaves then 'critical' when filled >= leaves - 1 then 'warning' else 'ok' end,
  format('%s of %s leaves of the op ring hold rows', filled, leaves),
  'Leaves are emptied once their ops are written. Inserts go on when all are full, but ops are then kept much longer.',
  'See slot_active; a long transaction that locks crdt.ops also holds the trim up.'
from leaf
union all
select 11, 'standby_slots', 'warning', format('synchronized_standby_slots is "%s"', setting),
  'The sidecar receives nothing while one of these standbys is down.',
  'If the sidecar stands still and slot_active is ok, look at these standbys first.'
from pg_settings where pg_settings.name = 'synchronized_standby_slots' and setting <> '';
comment on view crdt.health is 'One row a check: severity ok, warning or critical, what was found, what it means, the cure.';

-- Publication --------------------------------------------------------------------------------------------------------

-- One that is left from an earlier schema is mended, never made anew: a slot can't decode what was written while its
-- publication did not exist.
do $$
begin
  if exists (select from pg_catalog.pg_publication where pubname = 'walmerge') then
    alter publication walmerge set table crdt.ops, crdt.collection;
    alter publication walmerge set (publish = 'insert', publish_via_partition_root = true);
  else
    create publication walmerge for table crdt.ops, crdt.collection
      with (publish = 'insert', publish_via_partition_root = true);
  end if;
end $$;

-- Roles --------------------------------------------------------------------------------------------------------------

-- Roles belong to the whole cluster: another database may have them already, or be making them right now.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['crdt_writer', 'crdt_reader', 'crdt_operator', 'crdt_sidecar'] loop
    if exists (select from pg_catalog.pg_roles where rolname = wanted) then
      continue;
    end if;
    begin
      execute pg_catalog.format('create role %I nologin', wanted);
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise exception 'the role "%" does not exist and % may not create it', wanted, current_user
          using errcode = 'insufficient_privilege',
            hint = 'Let a role with CREATEROLE run: create role crdt_writer nologin; create role crdt_reader nologin; '
              'create role crdt_operator nologin; create role crdt_sidecar nologin;';
    end;
  end loop;
end $$;

revoke all on all tables in schema crdt from public;
revoke all on all sequences in schema crdt from public;
revoke all on all routines in schema crdt from public;
revoke all on schema crdt from public;
grant usage on schema crdt to crdt_writer, crdt_reader, crdt_operator, crdt_sidecar;

-- id, at and role are not granted, so nobody forges them; id is what ORMs ask back.
grant insert (doc, update, format, op), select (id) on crdt.ops to crdt_writer;

-- What a waiter polls.
grant select (slot, epoch, written, updated_at) on crdt.progress to crdt_writer, crdt_reader;
grant execute on function crdt.barrier(text), crdt.commit_refusal()
  to crdt_writer, crdt_reader, crdt_operator, crdt_sidecar;
grant execute on procedure crdt.check_wait(text, interval),
  crdt.await_written(text, pg_lsn, interval, boolean, text), crdt.sync(interval, text), crdt.wait_for(pg_lsn, interval)
  to crdt_writer, crdt_reader, crdt_operator, crdt_sidecar;

grant select on crdt.docs, crdt.ydoc, crdt.tail, crdt.parked, crdt.collection, crdt.lag, crdt.health
  to crdt_reader, crdt_operator;
grant execute on function crdt.tsv(text), crdt.tsv_cut(text), crdt.tsv_pieces(text), crdt.load(text, text), crdt.wal_end()
  to crdt_reader, crdt_operator, crdt_sidecar;

-- No version, created_at or created_by: the log says who changed what, and when.
grant insert (name, format, root, json_for_text, flush_debounce, flush_interval, wal_budget, staleness_max, fold_bytes,
  fold_ratio, fold_rows, fold_idle, rotate_after) on crdt.collection to crdt_operator;
grant execute on function crdt.alter_collection to crdt_operator;
grant select on crdt.dead_letter, crdt.progress, crdt.migration to crdt_operator;

grant select on crdt.ops, crdt.collection, crdt.migration, crdt.lag, crdt.health to crdt_sidecar;
grant select, truncate on crdt.ops_0, crdt.ops_1, crdt.ops_2, crdt.ops_3, crdt.ops_4, crdt.ops_5, crdt.ops_6, crdt.ops_7
  to crdt_sidecar;
grant select, update on sequence crdt.ops_id_seq to crdt_sidecar;
grant select, insert, update, delete on crdt.docs, crdt.ydoc, crdt.tail, crdt.parked, crdt.progress, crdt.dead_letter
  to crdt_sidecar;
