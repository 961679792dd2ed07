-- Migration 12: documents that are to be forgotten: everything of them goes, and a tombstone stays.

create table crdt.forgotten (
  collection text not null,
  doc text not null,
  forgotten_at timestamptz not null,
  revived_at timestamptz,
  merged_lsn pg_lsn not null,
  error text,
  primary key (collection, doc)
);
comment on table crdt.forgotten is 'A tombstone a forgotten document. While revived_at is null its ops are dropped. Made by crdt.forget, lifted by crdt.revive.';
comment on column crdt.forgotten.forgotten_at is 'When its rows were last deleted.';
comment on column crdt.forgotten.revived_at is 'Since when its ops are merged again; null: they are dropped.';
comment on column crdt.forgotten.merged_lsn is 'No op of it that was committed up to here is ever merged again.';
comment on column crdt.forgotten.error is 'Why its rows are still there, SQLSTATE and a sentence; the sidecar tries again. Null: they are deleted.';

-- For crdt.health and the sidecar: empty as long as all is well.
create index forgotten_failed on crdt.forgotten (doc) where error is not null;

alter table crdt.command drop constraint command_name_check;
alter table crdt.command add constraint command_name_check
  check (name in ('retry-dead-letter', 'discard-dead-letter', 'reproject', 'forget', 'revive'));
-- 2 kB: a document of a longer key is never made.
alter table crdt.command add constraint command_of_one_document
  check (name not in ('forget', 'revive')
    or (doc is not null and octet_length(doc) <= 2048 and num_nonnulls(dead_letter, rule) = 0));
comment on column crdt.command.name is 'retry-dead-letter: merge them now. discard-dead-letter: delete them. reproject: make text, JSON and blocks anew. forget: delete all of a document and drop its later ops; revive: merge them again. Order these two with crdt.forget and crdt.revive.';
comment on column crdt.command.doc is 'Only of this document; the one to forget or revive.';

-- The ring has no index by document, so all of it is read. Runs with the owner's rights, for an operator may delete the op
-- rows of a forgotten document but no others; being a trigger's, nobody calls it otherwise.
create function crdt.scrub_ops() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s' -- inserts queue behind the lock that revive waits for
as $$
begin
  if new.collection <> 'default' then
    raise exception 'there is no collection "%"', new.collection using errcode = 'undefined_object';
  end if;
  if new.name = 'revive' then
    if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
      raise exception 'crdt.revive needs READ COMMITTED, or it could miss op rows' using errcode = 'invalid_transaction_state';
    end if;
    -- Ops that came while it was forgotten were dropped, and a resync must not find them. Those that come from here on
    -- count. In between is nothing: the lock waits for whoever has inserted and holds back whoever will.
    lock table crdt.ops in share row exclusive mode;
    if not exists (select from crdt.forgotten f
                   where f.collection = new.collection and f.doc = new.doc and f.revived_at is null and f.error is null) then
      raise exception 'this document is not forgotten, or not erased yet' using errcode = 'object_not_in_prerequisite_state',
        hint = 'Call crdt.sync(), then see crdt.forgotten.';
    end if;
  end if;
  delete from crdt.ops o where o.doc = new.doc;
  return null;
end $$;
comment on function crdt.scrub_ops() is 'Inner part of crdt.forget and crdt.revive: deletes the op rows of the document.';
create trigger command_scrubs_ops after insert on crdt.command for each row
  when (new.name in ('forget', 'revive')) execute function crdt.scrub_ops();

create function crdt.forget_report(doc text, collection text default 'default')
returns table (place text, row_count bigint, remedy text)
language plpgsql volatile rows 12
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  ordered constant text := 'Goes when a sidecar carries the order out: call crdt.sync(), then ask again.';
  tombstone crdt.forgotten;
  ops bigint;
begin
  if forget_report.collection <> 'default' then
    raise exception 'there is no collection "%"', forget_report.collection using errcode = 'undefined_object';
  end if;
  select f.* into tombstone from crdt.forgotten f
  where f.collection = forget_report.collection and f.doc = forget_report.doc;
  if has_table_privilege('crdt.ops', 'select') then
    select count(*) into ops from crdt.ops o where o.doc = forget_report.doc;
  end if;
  return query
    select t.name, t.n, case when t.n > 0 then coalesce('Not deleted: ' || coalesce(tombstone.error, t.error), ordered) end
    from (values
      ('docs', (select count(*) from crdt.docs t where t.doc = forget_report.doc), null),
      ('blocks', (select count(*) from crdt.blocks t where t.doc = forget_report.doc), null),
      ('target', (select count(*) from crdt.target_queue t
        where t.collection = forget_report.collection and t.doc = forget_report.doc),
        (select max(t.error) from crdt.target_queue t
        where t.collection = forget_report.collection and t.doc = forget_report.doc)),
      ('ydoc', (select count(*) from crdt.ydoc t where t.doc = forget_report.doc), null),
      ('tail', (select count(*) from crdt.tail t where t.doc = forget_report.doc), null),
      ('parked', (select count(*) from crdt.parked t where t.doc = forget_report.doc), null),
      ('held', (select count(*) from crdt.held t where t.doc = forget_report.doc), null),
      ('dead_letter', (select count(*) from crdt.dead_letter t
        where t.collection = forget_report.collection and t.doc = forget_report.doc), null)) t (name, n, error);
  return query
    select v.place, v.n, v.remedy
    from (values
      ('ops', ops, 'Those that were there are deleted. Later ones are not merged, and go with their leaf (about collection.rotate_after).'),
      ('files', null, 'Deleted rows, words in the index docs_search, planner statistics: vacuum (analyze) crdt.docs, crdt.blocks, crdt.ydoc, crdt.tail, crdt.parked, crdt.held, crdt.dead_letter, crdt.ops;'),
      ('wal', null, 'On the server until segments are recycled' || coalesce(
        ', here from ' || (select min(s.restart_lsn) from pg_replication_slots s) || ' on, which a slot keeps', '')
        || '; whoever archives WAL has it as long as that.'),
      ('apps', null, 'Columns that crdt.set_target names are emptied. Those of a target that was dropped, and of rows whose key was changed, are yours to clear.'),
      ('journal', null, 'On the sidecar''s disk until its files are merged and deleted: they are 64 MiB each. Stopped, its state directory may be deleted.'),
      ('standbys', null, 'Follow when they have replayed; logical subscribers do not.'),
      ('backups', null, 'Until they expire. After a restore to a time before: forget it again.'),
      ('clients', null, 'Editors that hold the document send it again; that is dropped until crdt.revive.')
    ) v (place, n, remedy);
end $$;
comment on function crdt.forget_report(text, text) is 'What still holds a document: rows that are there now, and places that no row of ours can empty, with what empties them. row_count is null where it can''t be counted.';

-- Runs with the caller's rights: who may INSERT into crdt.command may order it, and created_by says who did.
create function crdt.forget(doc text, collection text default 'default')
returns table (place text, row_count bigint, remedy text)
language plpgsql volatile rows 12
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  insert into crdt.command (name, collection, doc) values ('forget', forget.collection, forget.doc);
  return query select r.place, r.row_count, r.remedy from crdt.forget_report(forget.doc, forget.collection) r;
end $$;
comment on function crdt.forget(text, text) is 'Orders that text, JSON, state, tail, parked, held, dead letters and op rows of a document go, and that its later ops are dropped, until crdt.revive. Returns crdt.forget_report.';

create function crdt.revive(doc text, collection text default 'default') returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_current_xact_id_if_assigned() is not null then
    -- An op of the same transaction would stand on both sides.
    raise exception 'crdt.revive can''t run in a transaction that has written something'
      using errcode = 'active_sql_transaction', hint = 'Commit first.';
  end if;
  insert into crdt.command (name, collection, doc) values ('revive', revive.collection, revive.doc);
end $$;
comment on function crdt.revive(text, text) is 'Orders that the ops of a forgotten document that are committed after it make a new one. Inserts into crdt.ops wait while the ring is read.';

-- One more check for crdt.health, whatever it holds already.
do $$
begin
  execute pg_catalog.format($view$
    create or replace view crdt.health as %s
    union all
    select 20, 'forgotten', case when count(*) > 0 then 'critical' else 'ok' end,
      case when count(*) > 0 then format('%%s forgotten documents are not erased', count(*)) else 'what was forgotten is erased' end,
      'Rows of documents that should be gone are still there: Postgres refused to delete them. Ops of them are dropped already.',
      'select doc, error from crdt.forgotten where error is not null; then remove the cause: a lock, a trigger, a foreign key of yours.'
    from crdt.forgotten where error is not null
  $view$, pg_catalog.rtrim(pg_catalog.pg_get_viewdef('crdt.health'::regclass), ';'));
end $$;

revoke all on crdt.forgotten from public;
revoke all on function crdt.scrub_ops(), crdt.forget_report(text, text), crdt.forget(text, text), crdt.revive(text, text) from public;
grant select on crdt.forgotten to crdt_operator;
grant select, insert, update, delete on crdt.forgotten to crdt_sidecar;
grant execute on function crdt.forget_report(text, text), crdt.forget(text, text), crdt.revive(text, text) to crdt_operator;
