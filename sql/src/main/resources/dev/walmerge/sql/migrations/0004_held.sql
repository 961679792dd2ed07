-- Migration 4: documents whose own rows can't be written stand aside in `held`, and every other one goes on.

create table crdt.held (
  doc text not null,
  kind text not null check (kind in ('change', 'parked', 'docs')),
  seq bigint not null,
  format text,
  payload bytea,
  row_id bigint,
  merged_lsn pg_lsn not null,
  op_count bigint not null,
  error text not null,
  held_at timestamptz not null default now(),
  primary key (doc, kind, seq),
  constraint held_payload check ((kind = 'docs') = (payload is null))
);
comment on table crdt.held is 'What documents would have written that can''t be: it moves to their own rows as soon as it can. Empty as long as all is well.';
comment on column crdt.held.kind is 'change: merged since the last write-back, a row of tail to be. parked: a row of parked to be. docs: no content, the docs row alone could not be written.';
comment on column crdt.held.seq is 'Order among the rows of a document and kind; of a parked update the seq it keeps in parked.';
comment on column crdt.held.row_id is 'The id of the op row of a parked update.';
comment on column crdt.held.merged_lsn is 'ydoc, tail, parked and held up to this row hold every op of the document that was committed up to here; of a parked update, the end of the commit that brought it.';
comment on column crdt.held.error is 'Why: SQLSTATE and a sentence.';

create or replace function crdt.load(doc text, collection text default 'default')
returns table (seq int, format text, payload bytea, merged_lsn pg_lsn)
language plpgsql stable parallel safe rows 10
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if load.collection <> 'default' then
    raise exception 'there is no collection "%"', load.collection using errcode = 'undefined_object';
  end if;
  return query
    select (row_number() over (order by part.kind, part.seq))::int, part.format, part.payload, part.merged_lsn
    from (
      select 0 as kind, 0::bigint as seq, y.state_format as format, y.state as payload, y.merged_lsn
      from crdt.ydoc y where y.doc = load.doc
      union all
      select 1, t.seq, t.format, t.payload, t.merged_lsn from crdt.tail t where t.doc = load.doc
      union all
      select case h.kind when 'change' then 2 else 3 end, h.seq, h.format, h.payload,
        case h.kind when 'change' then h.merged_lsn end
      from crdt.held h where h.doc = load.doc and h.kind <> 'docs'
      union all
      select 3, p.seq, p.format, p.payload, null from crdt.parked p where p.doc = load.doc
    ) part
    order by 1;
end $$;
comment on function crdt.load(text, text) is 'The updates that make a document, in order: state, tail, held changes, then parked ones (merged_lsn null). No row: unknown document.';

create or replace view crdt.health as
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
select 10, 'held', case when documents > 0 then 'warning' else 'ok' end,
  case when documents > 0 then format('%s documents can''t be written, the oldest since %s', documents, since)
    else 'every document can be written' end,
  'Their ops are safe in crdt.held, which crdt.load includes; the sidecar tries again, with pauses of up to minutes.',
  'select doc, error, held_at from crdt.held; then remove the cause: a lock, a trigger, a timeout, a missing grant.'
from (select count(distinct doc) as documents, min(held_at) as since from crdt.held) h
union all
select 11, 'ring', case when filled >= leaves then 'critical' when filled >= leaves - 1 then 'warning' else 'ok' end,
  format('%s of %s leaves of the op ring hold rows', filled, leaves),
  'Leaves are emptied once their ops are written. Inserts go on when all are full, but ops are then kept much longer.',
  'See slot_active; a long transaction that locks crdt.ops also holds the trim up.'
from leaf
union all
select 12, 'standby_slots', 'warning', format('synchronized_standby_slots is "%s"', setting),
  'The sidecar receives nothing while one of these standbys is down.',
  'If the sidecar stands still and slot_active is ok, look at these standbys first.'
from pg_settings where pg_settings.name = 'synchronized_standby_slots' and setting <> '';
comment on view crdt.health is 'One row a check: severity ok, warning or critical, what was found, what it means, the cure.';

revoke all on crdt.held from public;
grant select on crdt.held to crdt_reader, crdt_operator;
grant select, insert, update, delete on crdt.held to crdt_sidecar;
