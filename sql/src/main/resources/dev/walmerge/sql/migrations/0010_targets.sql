-- Migration 10: text and JSON in columns of the app's own table.

create table crdt.target (
  collection text primary key,
  relation regclass not null,
  key_column name not null,
  text_column name,
  json_column name,
  docs regclass not null,
  created_at timestamptz not null default now(),
  constraint target_has_a_column check (num_nonnulls(text_column, json_column) > 0)
);
comment on table crdt.target is 'Which columns of which table of an app get the text and JSON of a collection. Changed by crdt.set_target and crdt.drop_target.';

-- A queue, not a set: a unique key would make the sidecar wait for an app that inserts a row and does not commit.
create table crdt.target_queue (
  id bigint generated always as identity primary key,
  collection text not null,
  doc text not null,
  queued_at timestamptz not null default now(),
  tries int not null default 0,
  due_at timestamptz not null default now(),
  error text
);
comment on table crdt.target_queue is 'Documents whose target row is to be looked at: their text changed, or the row appeared. Usually empty.';
comment on column crdt.target_queue.error is 'Why the last try failed. The next one is at due_at.';
create index target_queue_due on crdt.target_queue (due_at);

create function crdt.queue_target() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into crdt.target_queue (collection, doc) values (tg_argv[0], coalesce(new.doc, old.doc));
  return null;
end $$;
comment on function crdt.queue_target() is 'On the docs table of a collection with a target: in the transaction that changes a document, its target row is queued.';

-- Security definer: whoever inserts into the app's table needs no right in this schema. It does nothing but queue a key, which
-- its caller just wrote.
create function crdt.queue_target_row() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  key text;
begin
  begin
    execute format('select ($1).%I::text', tg_argv[1]) into key using new;
  exception when undefined_column then
    return null; -- somebody renamed it: the sidecar says so, the app's statement is none of our business
  end;
  if key is not null then
    insert into crdt.target_queue (collection, doc) values (tg_argv[0], key);
  end if;
  return null;
end $$;
comment on function crdt.queue_target_row() is 'On the app''s table: a row that appears is filled.';

-- Runs with the caller's rights, who must own the schema crdt and the table.
create function crdt.set_target(
  target regclass,
  key name,
  text_column name default null,
  json_column name default null,
  collection text default 'default'
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  docs_table regclass := case when collection = 'default' then 'crdt.docs'::regclass end;
  relkind "char";
  secured boolean;
  named name;
  column_type text;
  is_generated boolean;
begin
  if docs_table is null then
    raise exception 'there is no collection "%"', collection using errcode = 'undefined_object';
  end if;
  if num_nonnulls(text_column, json_column) = 0 then
    raise exception 'crdt.set_target needs a column for the text or for the JSON' using errcode = 'invalid_parameter_value';
  end if;
  select c.relkind, c.relrowsecurity into relkind, secured from pg_class c where c.oid = target
    and c.relnamespace <> 'crdt'::regnamespace and c.relpersistence <> 't';
  if relkind is null or relkind not in ('r', 'p') then
    raise exception '% is no table of an app', target using errcode = 'wrong_object_type';
  end if;
  foreach named in array array_remove(array[key, text_column, json_column], null) loop
    select format_type(a.atttypid, a.atttypmod), a.attgenerated <> '' into column_type, is_generated
    from pg_attribute a where a.attrelid = target and a.attname = named and a.attnum > 0 and not a.attisdropped;
    if not found then
      raise exception '% has no column "%"', target, named using errcode = 'undefined_column';
    end if;
    if named = text_column and column_type not in ('text', 'character varying')
        or named = json_column and column_type not in ('jsonb', 'json')
        or named <> key and is_generated then
      raise exception 'column "%" of % can''t hold it: the text goes into text, the JSON into jsonb', named, target
        using errcode = 'datatype_mismatch';
    end if;
  end loop;
  if not exists (
      select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indrelid = target and i.indisvalid and i.indpred is null and a.attname = key) then
    raise exception '% needs an index that begins with "%"', target, key using errcode = 'object_not_in_prerequisite_state',
      hint = 'Each document is looked up by it.';
  end if;
  if secured and not exists (
      select from pg_policy p where p.polrelid = target and p.polpermissive and p.polcmd in ('*', 'w')
        and p.polroles && array[0, 'crdt_sidecar'::regrole::oid]) then
    raise exception 'row security hides the rows of % from crdt_sidecar', target using errcode = 'object_not_in_prerequisite_state',
      hint = format('create policy walmerge on %s to crdt_sidecar using (true) with check (true)', target);
  end if;
  perform crdt.drop_target(set_target.collection);
  insert into crdt.target values (set_target.collection, target, key, text_column, json_column, docs_table);
  execute format('grant usage on schema %s to crdt_sidecar',
    (select relnamespace::regnamespace::text from pg_class where oid = target));
  execute format('grant select (%2$s), update (%3$s) on %1$s to crdt_sidecar', target,
    (select string_agg(quote_ident(n), ', ') from unnest(array_remove(array[key, text_column, json_column], null)) n),
    (select string_agg(quote_ident(n), ', ') from unnest(array_remove(array[text_column, json_column], null)) n));
  execute format('create trigger queue_target_insert after insert or delete on %s for each row execute function crdt.queue_target(%L)',
    docs_table, set_target.collection);
  execute format('create trigger queue_target_update after update on %s for each row'
    ' when (old.version is distinct from new.version) execute function crdt.queue_target(%L)',
    docs_table, set_target.collection);
  execute format('create trigger %I after insert or update of %I on %s for each row'
    ' execute function crdt.queue_target_row(%L, %L)', 'walmerge_' || set_target.collection, key, target,
    set_target.collection, key);
  execute format('insert into crdt.target_queue (collection, doc) select %L, doc from %s', set_target.collection, docs_table);
end $$;
comment on function crdt.set_target(regclass, name, name, name, text) is 'From now on these columns of target get the text and JSON of the document whose key stands in the column key. Rows are updated, never inserted. Waits for open transactions on the table.';

create function crdt.drop_target(collection text default 'default') returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  old crdt.target;
  named name;
begin
  delete from crdt.target t where t.collection = drop_target.collection returning * into old;
  if not found then
    return;
  end if;
  execute format('drop trigger if exists queue_target_insert on %s', old.docs);
  execute format('drop trigger if exists queue_target_update on %s', old.docs);
  if exists (select from pg_class where oid = old.relation) then
    execute format('drop trigger if exists %I on %s', 'walmerge_' || drop_target.collection, old.relation);
    for named in
      select a.attname from pg_attribute a where a.attrelid = old.relation and not a.attisdropped
        and a.attname in (old.key_column, old.text_column, old.json_column)
    loop
      execute format('revoke select (%2$I), update (%2$I) on %1$s from crdt_sidecar', old.relation, named);
    end loop;
  end if;
  delete from crdt.target_queue q where q.collection = drop_target.collection;
end $$;
comment on function crdt.drop_target(text) is 'Ends it. What stands in the columns stays.';

create view crdt.target_lag as
select t.collection, t.relation, count(q.id) as waiting, min(q.queued_at) as oldest,
  count(q.error) + (k.attname is null)::int as failing,
  case when k.attname is null then 'the table or its key column is gone: call crdt.set_target again, or crdt.drop_target'
    else max(q.error) end as error
from crdt.target t
  left join pg_catalog.pg_attribute k on k.attrelid = t.relation and k.attname = t.key_column and not k.attisdropped
  left join crdt.target_queue q using (collection)
group by t.collection, t.relation, k.attname;
comment on view crdt.target_lag is 'How far each target is behind: rows that wait, since when, and those that failed.';

revoke all on crdt.target, crdt.target_queue, crdt.target_lag from public;
revoke all on function crdt.queue_target(), crdt.queue_target_row(), crdt.set_target(regclass, name, name, name, text),
  crdt.drop_target(text) from public;
grant execute on function crdt.queue_target() to crdt_sidecar;
grant select on crdt.target to crdt_sidecar;
grant select, insert, update, delete on crdt.target_queue to crdt_sidecar;
grant select on crdt.target, crdt.target_queue, crdt.target_lag to crdt_operator;
