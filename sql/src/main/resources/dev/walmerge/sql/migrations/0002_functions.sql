-- Migration 2: what people call: search, load, freshness, settings.

-- Search -------------------------------------------------------------------------------------------------------------

-- A tsvector holds at most 1,048,575 bytes of words and positions, and to_tsvector fails above that. 128 kB of text
-- can't get there (about 5 bytes a byte at the worst). A longer one is taken in pieces, until the next piece would not
-- fit: no exception handler, because 15 and 16 refuse its subtransaction in a parallel worker.
create function crdt.tsv_pieces(body text, out vector tsvector, out cut boolean)
language plpgsql immutable strict parallel safe cost 10000
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
as $$
declare
  body_chars constant int := least(char_length(body), 4000000); -- more would only cost time
  first int := 1;
  block text; -- finding a character by its number takes time in proportion: look for pieces in blocks
  piece text;
  next tsvector;
  blank int;
begin
  vector := '';
  cut := char_length(body) > body_chars;
  while first <= body_chars loop
    if block is null or char_length(block) < 32768 then
      block := substr(body, first, least(524288, body_chars - first + 1));
    end if;
    piece := left(block, 32768); -- at most 128 kB
    if first + 32768 <= body_chars then
      -- end it at the last white space, so that no word is split
      blank := strpos(translate(reverse(right(piece, 256)), E'\n\r\t', '   '), ' ');
      if blank > 1 then
        piece := left(piece, 1 - blank);
      end if;
    end if;
    next := to_tsvector('english', piece);
    -- the size of a tsvector less 4 bytes a word, plus one byte a word that alignment may add
    if pg_column_size(vector) - 3 * length(vector) + pg_column_size(next) - 3 * length(next) > 1048575 then
      cut := true;
      exit;
    end if;
    vector := vector || next;
    first := first + char_length(piece);
    block := substr(block, char_length(piece) + 1);
  end loop;
end $$;
comment on function crdt.tsv_pieces(text) is 'Inner part of crdt.tsv: the words of a long text, and whether some did not fit.';

create function crdt.tsv(body text) returns tsvector
language plpgsql immutable strict parallel safe cost 1000
set search_path = pg_catalog, pg_temp
set client_min_messages = warning -- a word above 2 kB is left out with a notice
as $$
begin
  if octet_length(body) <= 131072 then
    return to_tsvector('english', body);
  end if;
  return (crdt.tsv_pieces(body)).vector;
end $$;
comment on function crdt.tsv(text) is 'to_tsvector(''english'', body) that can''t fail: what exceeds the limits of a tsvector is left out, see crdt.tsv_cut.';

create function crdt.tsv_cut(body text) returns boolean
language plpgsql immutable strict parallel safe cost 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  return octet_length(body) > 131072 and (crdt.tsv_pieces(body)).cut;
end $$;
comment on function crdt.tsv_cut(text) is 'Whether crdt.tsv had to leave out the end of this text: a search does not find words there.';

create index docs_search on crdt.docs using gin (crdt.tsv(body_text));

-- Load ---------------------------------------------------------------------------------------------------------------

create function crdt.load(doc text, collection text default 'default')
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
      select 2, p.seq, p.format, p.payload, null from crdt.parked p where p.doc = load.doc
    ) part
    order by 1;
end $$;
comment on function crdt.load(text, text) is 'The updates that make a document, in order: state, tail, then parked ones (merged_lsn null). No row: unknown document.';

-- Freshness ----------------------------------------------------------------------------------------------------------

-- These run with the caller's rights and name every schema: a SET clause or SECURITY DEFINER would forbid the COMMIT
-- between two polls. A barrier is a small transactional message in the WAL: the sidecar writes all that was committed
-- before it, and moves crdt.progress past it. (Waiting for the WAL's own end would hang on a quiet database.)

-- What a COMMIT says where none is possible: a function is always such a place.
create function crdt.commit_refusal() returns text
language plpgsql volatile
as $$
begin
  commit;
  return null;
exception when invalid_transaction_termination then
  return sqlerrm;
end $$;
comment on function crdt.commit_refusal() is 'Inner part of crdt.sync and crdt.wait_for: how this server, in this language, refuses a COMMIT.';

-- Nothing tells a procedure whether it was called inside a transaction block (over the extended protocol now() and
-- statement_timestamp() differ in either case), but COMMIT does: in the exception block here it is always refused, in
-- other words for being in a transaction block than for being in an exception block.
create procedure crdt.check_wait(caller text, timeout interval)
language plpgsql
as $$
declare
  refusal text;
begin
  begin
    commit;
  exception when invalid_transaction_termination then
    refusal := sqlerrm;
  end;
  if refusal operator(pg_catalog.=) crdt.commit_refusal() then
    raise exception '% can''t run inside a transaction block', check_wait.caller
      using errcode = 'active_sql_transaction', hint = 'Commit first, or call it with autocommit on.';
  end if;
  if pg_catalog.pg_current_xact_id_if_assigned() is not null then
    raise exception '% can''t run in a transaction that has written something', check_wait.caller
      using errcode = 'active_sql_transaction', hint = 'Commit first: what is not committed can''t be waited for.';
  end if;
  if check_wait.timeout is null or check_wait.timeout operator(pg_catalog.<) '0'::pg_catalog.interval then
    raise exception '%: the timeout must not be null or negative', check_wait.caller
      using errcode = 'invalid_parameter_value';
  end if;
  perform from crdt.progress;
  if not found then
    raise exception '%: no sidecar has ever run on this database', check_wait.caller
      using errcode = 'WM002', hint = 'Start one: walmerge run --url ...';
  end if;
end $$;
comment on procedure crdt.check_wait(text, interval) is 'Inner part of crdt.sync and crdt.wait_for: raises when it can''t wait here.';

create function crdt.barrier(doc text default null) returns pg_lsn
language plpgsql volatile
as $$
begin
  if pg_catalog.pg_is_in_recovery() then
    raise exception 'a barrier is set on the primary' using errcode = 'read_only_sql_transaction',
      hint = 'On a standby: call crdt.wait_for(lsn), with what crdt.barrier() returned on the primary.';
  end if;
  if pg_catalog.pg_current_xact_id_if_assigned() is not null then
    raise exception 'a barrier can''t be set in a transaction that has written something'
      using errcode = 'active_sql_transaction', hint = 'Commit first: the barrier covers what was committed before it.';
  end if;
  return pg_catalog.pg_logical_emit_message(true, 'walmerge', coalesce(barrier.doc, ''));
end $$;
comment on function crdt.barrier(text) is 'Asks the sidecar to write what was committed before, of one document or all, without waiting. Returns the LSN for crdt.wait_for.';

create procedure crdt.await_written(caller text, target pg_lsn, timeout interval, barrier boolean, doc text)
language plpgsql
as $$
declare
  deadline constant timestamptz := pg_catalog.clock_timestamp() operator(pg_catalog.+) await_written.timeout;
  pause double precision := 0.001;
  asked_of bigint;
  at record;
  slot record;
begin
  loop
    select p.slot, p.epoch, p.written into at from crdt.progress p order by p.updated_at desc limit 1;
    exit when at.written operator(pg_catalog.>=) await_written.target;
    if pg_catalog.clock_timestamp() operator(pg_catalog.>) deadline then
      exit;
    end if;
    if await_written.barrier and asked_of operator(pg_catalog.<>) at.epoch then
      -- a new sidecar, perhaps on a new slot that begins after the barrier
      perform crdt.barrier(await_written.doc);
    end if;
    asked_of := at.epoch;
    perform pg_catalog.pg_sleep(pause);
    commit; -- the next poll sees a new snapshot under every isolation level, and none is held for long
    pause := least(pause operator(pg_catalog.*) 1.2::pg_catalog.float8, 0.02::pg_catalog.float8);
  end loop;
  if at.written operator(pg_catalog.>=) await_written.target then
    return;
  end if;
  select s.active into slot from pg_catalog.pg_replication_slots s
  where s.slot_name operator(pg_catalog.=) at.slot::pg_catalog.name;
  raise exception '%: not written within %', await_written.caller, await_written.timeout using
    errcode = 'WM001',
    detail = pg_catalog.format('Written up to %s, %s of WAL before %s. %s', at.written,
      pg_catalog.pg_size_pretty(pg_catalog.pg_wal_lsn_diff(await_written.target, at.written)), await_written.target,
      case
        when pg_catalog.pg_is_in_recovery() then 'The sidecar writes on the primary.'
        when slot is null then pg_catalog.format('There is no slot "%s".', at.slot)
        when slot.active then pg_catalog.format('A sidecar is reading the slot "%s".', at.slot)
        else pg_catalog.format('Nobody is reading the slot "%s".', at.slot)
      end),
    hint = case
      when pg_catalog.pg_is_in_recovery() then 'See crdt.health on the primary, and the lag of this standby.'
      when slot.active then 'It is working: wait longer, and see crdt.lag and crdt.health.'
      else 'Start the sidecar (walmerge run), then see crdt.health.'
    end;
end $$;
comment on procedure crdt.await_written(text, pg_lsn, interval, boolean, text) is 'Inner part of crdt.sync and crdt.wait_for: polls crdt.progress.';

create procedure crdt.sync(timeout interval default '30 s', doc text default null)
language plpgsql
as $$
declare
  target pg_catalog.pg_lsn;
begin
  if pg_catalog.pg_is_in_recovery() then
    raise exception 'crdt.sync can''t run on a standby' using errcode = 'read_only_sql_transaction',
      hint = 'Take crdt.barrier() on the primary, then: call crdt.wait_for(lsn) here.';
  end if;
  call crdt.check_wait('crdt.sync', sync.timeout);
  if pg_catalog.current_setting('synchronous_commit') operator(pg_catalog.=) 'off' then
    -- a commit that isn't flushed isn't sent to the slot
    perform pg_catalog.set_config('synchronous_commit', 'on', true);
  end if;
  target := crdt.barrier(sync.doc);
  commit;
  call crdt.await_written('crdt.sync', target, sync.timeout, true, sync.doc);
end $$;
comment on procedure crdt.sync(interval, text) is 'Waits until all that was committed before is in crdt.docs (of one document, if given). Call it outside a transaction.';

create procedure crdt.wait_for(lsn pg_lsn, timeout interval default '30 s')
language plpgsql
as $$
begin
  if wait_for.lsn is null then
    raise exception 'crdt.wait_for: the LSN must not be null' using errcode = 'invalid_parameter_value';
  end if;
  call crdt.check_wait('crdt.wait_for', wait_for.timeout);
  call crdt.await_written('crdt.wait_for', wait_for.lsn, wait_for.timeout, false, null);
end $$;
comment on procedure crdt.wait_for(pg_lsn, interval) is 'Waits until what crdt.barrier() returned is written, also on a standby. Call it outside a transaction.';

-- Settings, changed --------------------------------------------------------------------------------------------------

create function crdt.alter_collection(
  name text default 'default',
  format text default null,
  root text default null,
  json_for_text boolean default null,
  flush_debounce interval default null,
  flush_interval interval default null,
  wal_budget int default null,
  staleness_max interval default null,
  fold_bytes int default null,
  fold_ratio real default null,
  fold_rows int default null,
  fold_idle interval default null,
  rotate_after interval default null
) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  made bigint;
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception 'crdt.alter_collection needs READ COMMITTED, or it could copy settings that changed meanwhile'
      using errcode = 'invalid_transaction_state';
  end if;
  -- one at a time: two that copy the same last version would lose one of the changes
  perform pg_advisory_xact_lock(hashtextextended('crdt.collection ' || alter_collection.name, 0));
  insert into crdt.collection (name, format, root, json_for_text, flush_debounce, flush_interval, wal_budget,
    staleness_max, fold_bytes, fold_ratio, fold_rows, fold_idle, rotate_after)
  select c.name,
    coalesce(alter_collection.format, c.format),
    nullif(coalesce(alter_collection.root, c.root), ''),
    coalesce(alter_collection.json_for_text, c.json_for_text),
    coalesce(alter_collection.flush_debounce, c.flush_debounce),
    coalesce(alter_collection.flush_interval, c.flush_interval),
    coalesce(alter_collection.wal_budget, c.wal_budget),
    coalesce(alter_collection.staleness_max, c.staleness_max),
    coalesce(alter_collection.fold_bytes, c.fold_bytes),
    coalesce(alter_collection.fold_ratio, c.fold_ratio),
    coalesce(alter_collection.fold_rows, c.fold_rows),
    coalesce(alter_collection.fold_idle, c.fold_idle),
    coalesce(alter_collection.rotate_after, c.rotate_after)
  from crdt.collection c
  where c.name = alter_collection.name
  order by c.version desc
  limit 1
  returning version into made;
  if made is null then
    raise exception 'there is no collection "%"', alter_collection.name using errcode = 'undefined_object',
      hint = 'select distinct name from crdt.collection';
  end if;
  return made;
end $$;
comment on function crdt.alter_collection is 'Changes the settings given (null: as they are; root '''': none declared) and returns the new version. In force for ops committed after it.';
