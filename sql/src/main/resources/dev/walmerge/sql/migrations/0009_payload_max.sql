-- Migration 9: what is too large is refused at the INSERT, which the app sees. The sidecar receives a row in one piece, so
-- one that does not fit into its heap could never be read, nor anything behind it; one whose text exceeds a gigabyte could
-- not even be sent.

-- Not valid: rows that are there already need not be looked at. The length of the update is known without a copy of it. The
-- text of a JSON op, which is what is sent, may be much longer than what is stored: 1e1000 is a number.
-- One constraint with two comparisons, as each statement parses them anew.
alter table crdt.ops add constraint ops_too_large
  check (octet_length(update) <= 33554432 and octet_length(concat(doc, format, op)) <= 33554432) not valid;
comment on constraint ops_too_large on crdt.ops is 'What the sidecar''s heap must be able to hold in one piece. Change it with crdt.alter_payload_max.';

-- Runs with the caller's rights: only the owner may.
create function crdt.alter_payload_max(bytes bigint) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if bytes is null or bytes not between 1024 and 469762048 then
    raise exception 'crdt.alter_payload_max takes 1024 to 469762048 bytes' using errcode = 'invalid_parameter_value';
  end if;
  execute format('alter table crdt.ops drop constraint ops_too_large, add constraint ops_too_large'
    ' check (octet_length(update) <= %1$s and octet_length(concat(doc, format, op)) <= %1$s) not valid', bytes);
  comment on constraint ops_too_large on crdt.ops is
    'What the sidecar''s heap must be able to hold in one piece. Change it with crdt.alter_payload_max.';
end $$;
comment on function crdt.alter_payload_max(bigint) is 'Sets how large the update of a row, or its key, format and op together, may be. Takes a short exclusive lock on crdt.ops, for which it waits until open transactions that inserted have ended.';

revoke all on function crdt.alter_payload_max(bigint) from public;
