-- Migration 7: what the slot can't say itself: whether the publication was whole all the time, and how far a resync is.

-- The oid and xmin of a catalog row name one version of it, so two equal answers say that nothing was changed in between,
-- not even there and back: what the publication lacked for a moment was skipped by the slot, in silence.
-- plpgsql, as it keeps its plans: every write-back asks.
create function crdt.publication_state() returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  state text;
begin
  select p.oid || '.' || p.xmin || ' ' || string_agg(r.prrelid || '.' || r.oid || '.' || r.xmin, ' ' order by r.prrelid)
  into state
  from pg_publication p join pg_publication_rel r on r.prpubid = p.oid
  where p.pubname = 'walmerge' and p.pubinsert and p.pubviaroot
  group by p.oid, p.xmin
  having count(*) filter (where r.prqual is null and r.prattrs is null
    and r.prrelid in (to_regclass('crdt.ops'), to_regclass('crdt.collection'), to_regclass('crdt.command'))) = 3;
  return state;
end $$;
comment on function crdt.publication_state() is 'Names the version of the publication "walmerge"; null when it is missing, lacks something or filters it.';

alter table crdt.progress
  add column publication text,
  add column resync_rows bigint,
  add column resync_done bigint;
comment on column crdt.progress.publication is 'crdt.publication_state() of when the slot was made. While it is another one, nothing is written: the slot may have skipped ops.';
comment on column crdt.progress.resync_rows is 'How many rows of ops the last resync, or the first start, had to read. It is under way while written is 0/0.';
comment on column crdt.progress.resync_done is 'How many of them it had read, at most a few seconds ago.';

-- One more check for crdt.health, whatever it holds already.
do $$
begin
  execute pg_catalog.format($view$
    create or replace view crdt.health as %s
    union all
    select 13, 'resync', case when p.written = '0/0' and p.resync_rows is not null then 'warning' else 'ok' end,
      case when p.written = '0/0' and p.resync_rows is not null
        then format('a resync is under way: %%s of %%s rows of ops are read', p.resync_done, p.resync_rows)
        else 'no resync is under way' end,
      'While everything is read from the tables again, documents may lack ops, those of a lost slot for instance.',
      'Wait: nothing is lost, and crdt.sync waits for the end of it. The sidecar''s log says why it started.'
    from (select * from crdt.progress order by updated_at desc limit 1) p
  $view$, pg_catalog.rtrim(pg_catalog.pg_get_viewdef('crdt.health'::regclass), ';'));
end $$;

revoke all on function crdt.publication_state() from public;
grant execute on function crdt.publication_state() to crdt_sidecar, crdt_operator;
