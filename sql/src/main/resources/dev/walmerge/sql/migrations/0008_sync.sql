-- Migration 8: who waits for one document waits for its row, not for all that is dirty beside it; and looks each millisecond
-- at first. Two milliseconds between two looks, as it was, and then more, made the waiter notice late what takes three or
-- four; a look costs 5 us.

create or replace procedure crdt.await_written(caller text, target pg_lsn, timeout interval, barrier boolean, doc text)
language plpgsql
as $$
declare
  began constant timestamptz := pg_catalog.clock_timestamp();
  deadline constant timestamptz := began operator(pg_catalog.+) await_written.timeout;
  -- who may not read rows can only wait until all is written
  named text := case when pg_catalog.has_table_privilege('crdt.docs', 'select') then await_written.doc end;
  -- pg_sleep takes whole milliseconds, rounded up: of 0.001, by a hair, it makes two
  pause double precision := 0.0009;
  polls int := 0;
  shown boolean := false;
  asked_of bigint;
  at record;
  slot record;
begin
  loop
    select p.slot, p.epoch, p.written into at from crdt.progress p order by p.updated_at desc limit 1;
    exit when at.written operator(pg_catalog.>=) await_written.target;
    if named is not null then
      perform from crdt.docs d where d.doc operator(pg_catalog.=) named
        and d.merged_lsn operator(pg_catalog.>=) await_written.target;
      shown := found;
      exit when shown;
    end if;
    if pg_catalog.clock_timestamp() operator(pg_catalog.>) deadline then
      exit;
    end if;
    if await_written.barrier and named is not null
        and pg_catalog.clock_timestamp() operator(pg_catalog.>) (began operator(pg_catalog.+) '100 ms'::pg_catalog.interval) then
      -- a document that is unknown, or of which something is refused, has no row that could say so
      named := null;
      perform crdt.barrier();
    elsif await_written.barrier and asked_of operator(pg_catalog.<>) at.epoch then
      -- a new sidecar, perhaps on a new slot that begins after the barrier
      perform crdt.barrier(named);
    end if;
    asked_of := at.epoch;
    perform pg_catalog.pg_sleep(pause);
    commit; -- the next poll sees a new snapshot under every isolation level, and none is held for long
    polls := polls operator(pg_catalog.+) 1;
    if polls operator(pg_catalog.>) 20 then
      pause := least(pause operator(pg_catalog.*) 1.2::pg_catalog.float8, 0.02::pg_catalog.float8);
    end if;
  end loop;
  if at.written operator(pg_catalog.>=) await_written.target or shown then
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

create or replace procedure crdt.sync(timeout interval default '30 s', doc text default null)
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
  target := crdt.barrier(case when pg_catalog.has_table_privilege('crdt.docs', 'select') then sync.doc end);
  commit;
  call crdt.await_written('crdt.sync', target, sync.timeout, true, sync.doc);
end $$;

drop procedure crdt.wait_for(pg_lsn, interval);
create procedure crdt.wait_for(lsn pg_lsn, timeout interval default '30 s', doc text default null)
language plpgsql
as $$
begin
  if wait_for.lsn is null then
    raise exception 'crdt.wait_for: the LSN must not be null' using errcode = 'invalid_parameter_value';
  end if;
  call crdt.check_wait('crdt.wait_for', wait_for.timeout);
  call crdt.await_written('crdt.wait_for', wait_for.lsn, wait_for.timeout, false, wait_for.doc);
end $$;
revoke execute on procedure crdt.wait_for(pg_lsn, interval, text) from public;
grant execute on procedure crdt.wait_for(pg_lsn, interval, text) to crdt_writer, crdt_reader, crdt_operator, crdt_sidecar;
comment on procedure crdt.wait_for(pg_lsn, interval, text) is 'Waits until what crdt.barrier() returned is written (in the row of one document, if given), also on a standby. Call it outside a transaction.';
comment on function crdt.barrier(text) is 'Asks the sidecar to write what was committed before, of one document or all, without waiting. Returns the LSN for crdt.wait_for, with the same document.';
