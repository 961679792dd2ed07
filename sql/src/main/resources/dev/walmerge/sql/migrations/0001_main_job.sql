-- Migration 1: the collection `default`, from a plain INSERT of an op to searchable text.
-- Runs in one transaction, as the role that will own the schema. Immutable once released.

create schema crdt;
comment on schema crdt is 'walmerge: collaborative documents, materialized from an append-only log of ops';

create table crdt.migration (
  version int primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);
comment on table crdt.migration is 'one row a migration, inserted first so that concurrent installs collide here';

-- Settings -----------------------------------------------------------------------------------------------------------

-- Append-only: the last version of a name is in force. The table is published, so a change takes effect in WAL order.
create table crdt.collection (
  version bigint generated always as identity primary key,
  name text not null,
  format text not null default 'yjs-v1' check (format in ('yjs-v1', 'yjs-v2', 'yjs-framed')),
  root text,
  json_for_text boolean not null default false,
  flush_debounce interval not null default '250 ms' check (flush_debounce >= '0 s'),
  flush_interval interval not null default '1 s' check (flush_interval >= '0 s'),
  wal_budget int not null default 40000 check (wal_budget > 0),
  staleness_max interval not null default '10 s' check (staleness_max >= '0 s'),
  fold_bytes int not null default 16384 check (fold_bytes >= 0),
  fold_ratio real not null default 0.5 check (fold_ratio >= 0),
  fold_rows int not null default 64 check (fold_rows > 0),
  fold_idle interval not null default '1 minute' check (fold_idle >= '0 s'),
  rotate_after interval not null default '1 hour' check (rotate_after > '0 s'),
  created_at timestamptz not null default now(),
  created_by text not null default current_user
);
create index collection_by_name on crdt.collection (name, version desc);
insert into crdt.collection (name) values ('default');

-- What apps write ----------------------------------------------------------------------------------------------------

-- A fixed ring of eight leaves of about a million ids each, without any index: an index that leads with the document
-- would make a keystroke as dear as rewriting the text, and a fixed ring is trimmed by TRUNCATE, never by DDL.
create table crdt.ops (
  id bigint generated always as identity,
  at timestamptz not null default now(),
  doc text not null,
  update bytea,
  format text,
  op jsonb,
  role text not null default current_user,
  constraint ops_update_or_op check ((update is null) <> (op is null))
) partition by list (((id >> 20) & 7));

create table crdt.ops_0 partition of crdt.ops for values in (0);
create table crdt.ops_1 partition of crdt.ops for values in (1);
create table crdt.ops_2 partition of crdt.ops for values in (2);
create table crdt.ops_3 partition of crdt.ops for values in (3);
create table crdt.ops_4 partition of crdt.ops for values in (4);
create table crdt.ops_5 partition of crdt.ops for values in (5);
create table crdt.ops_6 partition of crdt.ops for values in (6);
create table crdt.ops_7 partition of crdt.ops for values in (7);

-- What people read ---------------------------------------------------------------------------------------------------

create table crdt.docs (
  doc text primary key,
  version bigint not null,
  epoch bigint not null,
  token text generated always as (epoch::text || '.' || version::text) stored,
  body_text text,
  body_json jsonb,
  complete boolean not null,
  missing jsonb,
  merged_lsn pg_lsn not null,
  op_count bigint not null,
  staleness interval not null,
  staleness_bound text not null check (staleness_bound in ('debounce', 'interval', 'budget', 'staleness_max', 'barrier', 'shutdown')),
  updated_at timestamptz not null,
  warning text,
  error text
);

-- What a Yjs client loads --------------------------------------------------------------------------------------------

create table crdt.ydoc (
  doc text primary key,
  state_format text not null,
  state bytea not null,
  state_vector bytea not null,
  merged_lsn pg_lsn not null,
  op_count bigint not null,
  compacted_at timestamptz not null
);

-- One row a flush; compaction folds them into ydoc.state and deletes them.
create table crdt.tail (
  doc text not null,
  seq bigint not null,
  format text not null,
  payload bytea not null,
  merged_lsn pg_lsn not null,
  op_count bigint not null,
  primary key (doc, seq)
);

-- Causally early updates, verbatim, until what they wait for arrives.
create table crdt.parked (
  doc text not null,
  seq bigint not null,
  format text not null,
  payload bytea not null,
  row_id bigint,
  lsn pg_lsn not null,
  primary key (doc, seq)
);

-- What the sidecar keeps for itself ----------------------------------------------------------------------------------

-- Rewritten at each write-back: room on the page keeps it HOT.
create table crdt.progress (
  slot text primary key,
  system_identifier text not null,
  timeline int not null,
  nonce uuid not null,
  epoch bigint not null,
  written pg_lsn not null,
  updated_at timestamptz not null
) with (fillfactor = 20);

create table crdt.dead_letter (
  id bigint generated always as identity primary key,
  collection text not null,
  doc text not null,
  lsn pg_lsn not null,
  seq int not null,
  row_id bigint,
  format text,
  payload bytea,
  op jsonb,
  role text,
  rule text not null,
  reason text not null,
  byte_offset int,
  at timestamptz not null default now(),
  unique (lsn, seq)
);
