-- Migration 13: what stopped all writing in silence, or kept WAL for nobody, is a row of crdt.health.

-- What the sidecar writes by itself when its reads or writes fail: from outside, all would look well.
alter table crdt.progress
  add column failing text,
  add column failing_since timestamptz;
comment on column crdt.progress.failing is 'Why nothing is written, while the sidecar tries again and again; null when all is well. Set once a second at most.';
comment on column crdt.progress.failing_since is 'Since when.';

-- The journal takes a command, or a version of the settings, in one record of 64 kB.
alter table crdt.command add constraint command_is_short check (
  octet_length(collection) <= 63 and (doc is null or octet_length(doc) <= 16384) and (rule is null or octet_length(rule) <= 200)) not valid;
alter table crdt.collection add constraint collection_is_short check (
  octet_length(name) <= 63 and (root is null or octet_length(root) <= 16384)) not valid;

-- What migrations grant to crdt_sidecar. A right may be there by columns, too, if it is there for each of them that the
-- sidecar can name in such a statement.
create function crdt.missing_rights(role name) returns table (what text, cure text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with me as (
    select oid from pg_roles where rolname = missing_rights.role
  ), wanted (kind, name, rights) as (
    select 'table', 'crdt.' || t, array['select', 'insert', 'update', 'delete']
    from unnest(array['docs', 'blocks', 'ydoc', 'tail', 'parked', 'held', 'progress', 'dead_letter', 'forgotten', 'target_queue']) t
    union all
    select 'table', 'crdt.' || t, array['select'] from unnest(array['ops', 'collection', 'command', 'migration', 'target']) t
    union all
    select 'table', 'crdt.ops_' || n, array['select', 'truncate'] from generate_series(0, 7) n
    union all
    select 'done_at', 'crdt.command', array['update']
    union all
    select 'sequence', 'crdt.ops_id_seq', array['select', 'update']
    union all
    select 'function', 'crdt.' || f, array['execute']
    from unnest(array['publication_state()', 'tsv(text)', 'tsv_cut(text)', 'tsv_pieces(text)']) f
  ), each as (
    select w.kind, w.name, r as right_name, me.oid as role_oid,
      case when w.kind = 'function' then to_regprocedure(w.name)::oid else to_regclass(w.name)::oid end as object
    from wanted w cross join lateral unnest(w.rights) r cross join me
    where has_schema_privilege(me.oid, 'crdt', 'usage')
  ), found as (
    select name, right_name, kind, object,
      case
        when object is null then null
        when kind = 'function' then has_function_privilege(role_oid, object, right_name)
        when kind = 'sequence' then has_sequence_privilege(role_oid, object, right_name)
        when kind = 'done_at' then has_column_privilege(role_oid, object, 'done_at', right_name)
        when right_name in ('delete', 'truncate') then has_table_privilege(role_oid, object, right_name)
        else has_table_privilege(role_oid, object, right_name) or (
          select bool_and(has_column_privilege(role_oid, object, a.attnum, right_name)) from pg_attribute a
          where a.attrelid = object and a.attnum > 0 and not a.attisdropped
            and (right_name = 'select' or a.attgenerated = '' and a.attidentity = ''))
      end as granted
    from each
  )
  select 'usage on schema crdt', 'grant usage on schema crdt to crdt_sidecar' from me
  where not has_schema_privilege(me.oid, 'crdt', 'usage')
  union all
  select distinct f.name || ', which is gone', 'undo what renamed or dropped ' || f.name from found f where f.object is null
  union all
  select right_text, 'grant ' || right_text || ' to crdt_sidecar'
  from found f, lateral (select f.right_name || case f.kind when 'done_at' then ' (done_at)' else '' end || ' on '
    || case f.kind when 'function' then 'function ' when 'sequence' then 'sequence ' else '' end || f.name as right_text) t
  where not f.granted
  order by 1
$$;
comment on function crdt.missing_rights(name) is 'What a role lacks to be the sidecar''s, and the statement that mends it. No row: nothing.';
revoke all on function crdt.missing_rights(name) from public;
grant execute on function crdt.missing_rights(name) to crdt_reader, crdt_operator, crdt_sidecar;

-- Four more checks for crdt.health, whatever it holds already.
do $$
begin
  execute pg_catalog.format($view$
    create or replace view crdt.health as %s
    union all
    select 14, 'writing', case when p.failing is null then 'ok' else 'critical' end,
      case when p.failing is null then 'the sidecar reports no failure' else format('failing since %%s: %%s', p.failing_since, p.failing) end,
      'Nothing is written while this fails. Ops are kept, in the WAL and in their rows.',
      'Remove the cause; the sidecar tries again every few seconds. A right: see the check rights.'
    from (select * from crdt.progress order by updated_at desc limit 1) p
    union all
    select 15, 'rights', case when count(m.what) = 0 then 'ok' else 'critical' end,
      case when count(m.what) = 0 then format('the role "%%s" has the rights that the sidecar needs', r.role)
        else format('the role "%%s" lacks %%s', r.role, string_agg(m.what, ', ')) end,
      'Without them nothing is written, or not every document.',
      coalesce(string_agg(m.cure, '; ') || '; as the owner of the schema', 'Nothing to do.')
    from (
      -- the one that reads the slot; while nobody does, the group
      select coalesce(max(a.usename::text collate "default"), 'crdt_sidecar') as role
      from crdt.progress p join pg_replication_slots s on s.slot_name = p.slot and s.database = current_database()
      join pg_stat_activity a on a.pid = s.active_pid
    ) r left join lateral crdt.missing_rights(r.role::name) m on true
    group by r.role
    union all
    select 16, 'left_slots',
      case when count(*) = 0 then 'ok' when max(retained) > 10 * 1024::bigint ^ 3 then 'critical' else 'warning' end,
      case when count(*) = 0 then 'no slot of an earlier sidecar is left'
        else string_agg(format('nobody reads the slot "%%s", it keeps %%s of WAL', slot, pg_size_pretty(retained)), '; ') end,
      'The documents are written by way of another slot now; this one only fills the server''s disk.',
      coalesce('Unless that sidecar is to come back: ' || string_agg(format(
        'select pg_drop_replication_slot(%%L); delete from crdt.progress where slot = %%L', slot, slot), '; '), 'Nothing to do.')
    from (
      select p.slot, pg_wal_lsn_diff(crdt.wal_end(), s.restart_lsn) as retained
      from crdt.progress p join pg_replication_slots s on s.slot_name = p.slot and s.database = current_database()
      where not s.active and p.slot <> (select slot from crdt.progress order by updated_at desc limit 1)
    ) l
    union all
    select 17, 'targets', case when sum(failing) > 0 then 'warning' else 'ok' end,
      case when sum(failing) > 0 then format('%%s rows of apps'' tables can''t be filled: %%s', sum(failing), max(error))
        else 'no row of a target fails' end,
      'Columns that crdt.set_target named are older than their documents.',
      'select * from crdt.target_queue where error is not null; then remove the cause; the sidecar tries again.'
    from crdt.target_lag
  $view$, pg_catalog.rtrim(pg_catalog.pg_get_viewdef('crdt.health'::regclass), ';'));
end $$;
