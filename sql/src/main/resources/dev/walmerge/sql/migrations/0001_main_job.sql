-- Migration 1: the collection `default`, from a plain INSERT of an op to searchable text.
-- Runs in one transaction, as the role that will own the schema: it needs CREATE on the database and CREATEROLE, and is
-- no superuser. Immutable once released.

do $$
begin
  if pg_catalog.current_setting('server_encoding') <> 'UTF8' then
    raise exception 'walmerge needs a database in the encoding UTF8, this one is in %', pg_catalog.current_setting('server_encoding')
      using errcode = 'feature_not_supported', hint = 'create database ... encoding ''UTF8'' template template0';
  end if;
end $$;

create schema crdt;
comment on schema crdt is 'walmerge: collaborative documents, materialized from an append-only log of ops';

create table crdt.migration (
  version int primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);
comment on table crdt.migration is 'One row a migration, inserted first so that concurrent installs collide here.';
comment on column crdt.migration.checksum is 'SHA-256 of the migration''s text, hex: an applied migration never changes.';

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
comment on table crdt.collection is 'Append-only versions of the settings of each collection: the last one is in force. Change them with crdt.alter_collection.';
comment on column crdt.collection.format is 'Format of ops that declare none.';
comment on column crdt.collection.root is 'The root type that is the text; null: all text and XML roots by name, joined by newlines.';
comment on column crdt.collection.json_for_text is 'Whether a pure text document gets body_json too, which doubles its write-back.';
comment on column crdt.collection.flush_debounce is 'Write a document back this long after its last op,';
comment on column crdt.collection.flush_interval is 'but at least this often under constant typing,';
comment on column crdt.collection.wal_budget is 'as long as its write-back stays below this many bytes of WAL a second,';
comment on column crdt.collection.staleness_max is 'and never later than this, whatever the budget says.';
comment on column crdt.collection.fold_bytes is 'Compact a document when its tail exceeds this many bytes and fold_ratio of its state,';
comment on column crdt.collection.fold_ratio is 'see fold_bytes: a share of the size of the state,';
comment on column crdt.collection.fold_rows is 'or when its tail exceeds this many rows,';
comment on column crdt.collection.fold_idle is 'or when it had no op for this long.';
comment on column crdt.collection.rotate_after is 'Leave the current leaf of the op ring at this age, so that a quiet database is trimmed too.';
insert into crdt.collection (name) values ('default');

-- What apps write ----------------------------------------------------------------------------------------------------

-- A fixed ring of eight leaves of about a million ids each, without any index: an index that leads with the document
-- would make a keystroke as dear as rewriting the text, and a fixed ring is trimmed by TRUNCATE, never by DDL.
-- The two 8-byte columns come first, so that no row is padded.
create table crdt.ops (
  id bigint generated always as identity,
  at timestamptz not null default now(),
  doc text not null,
  update bytea,
  format text,
  op jsonb,
  -- text, not name: name has a fixed width and costs 56 bytes more
  role text not null default current_user,
  constraint ops_update_or_op check ((update is null) <> (op is null))
) partition by list (((id >> 20) & 7));
comment on table crdt.ops is 'The log of ops: one INSERT an edit. Rows are removed once their content is in docs, ydoc, tail, parked or dead_letter.';
comment on column crdt.ops.id is 'Given by the server. Identity order is not commit order.';
comment on column crdt.ops.at is 'Given by the server: when the inserting transaction began.';
comment on column crdt.ops.doc is 'The document''s key; an unknown one makes a new document.';
comment on column crdt.ops.update is 'A CRDT update in the format of this row; either this or op.';
comment on column crdt.ops.format is 'yjs-v1, yjs-v2 or yjs-framed; null: the collection''s format.';
comment on column crdt.ops.op is 'A JSON op, for apps without a CRDT library; either this or update.';
comment on column crdt.ops.role is 'Given by the server: who inserted the row.';

-- Leaves are emptied by TRUNCATE: vacuuming them because rows were inserted would only write WAL.
do $$
begin
  for leaf in 0..7 loop
    execute pg_catalog.format('create table crdt.ops_%s partition of crdt.ops for values in (%s) with ('
      'autovacuum_vacuum_insert_threshold = -1, toast.autovacuum_vacuum_insert_threshold = -1)', leaf, leaf);
    execute pg_catalog.format('comment on table crdt.ops_%s is %L', leaf, 'A leaf of the op ring.');
  end loop;
end $$;

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
  staleness_bound text not null check (staleness_bound in ('debounce', 'interval', 'budget', 'staleness_max', 'barrier', 'memory', 'shutdown')),
  updated_at timestamptz not null,
  warning text,
  error text
);
comment on table crdt.docs is 'What people query: one row a document. Each row equals the ops up to its own merged_lsn.';
comment on column crdt.docs.version is 'One more at each write-back that changed the content.';
comment on column crdt.docs.epoch is 'The epoch of the sidecar that wrote the row.';
comment on column crdt.docs.token is 'epoch.version: what an app hands back as the base of its next op.';
comment on column crdt.docs.body_text is 'The document as text; search it with crdt.tsv(body_text) @@ websearch_to_tsquery(''english'', ...).';
comment on column crdt.docs.body_json is 'The document as JSON, keyed by root; null for a pure text document unless collection.json_for_text.';
comment on column crdt.docs.complete is 'False while an update waits in parked for one that has not arrived.';
comment on column crdt.docs.missing is 'What parked updates wait for: {"client": clock}.';
comment on column crdt.docs.merged_lsn is 'The row holds every op of its document that was committed up to here.';
comment on column crdt.docs.op_count is 'How many ops were merged into the document since it began.';
comment on column crdt.docs.staleness is 'How long the oldest op of the last write-back had waited for it.';
comment on column crdt.docs.staleness_bound is 'Which rule of the flush policy set the time of the last write-back.';
comment on column crdt.docs.warning is 'Something odd about the content that lost nothing.';
comment on column crdt.docs.error is 'Why body_text or body_json could not be written; the ydoc row holds every op all the same.';

-- For crdt.health: empty as long as all is well.
create index docs_failed on crdt.docs (doc) where error is not null;

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
comment on table crdt.ydoc is 'The compacted state of each document. It lacks what tail holds: read it with crdt.load.';
comment on column crdt.ydoc.state is 'One update that holds the whole state, in state_format.';
comment on column crdt.ydoc.state_vector is 'The state vector of state, as Yjs encodes it.';
comment on column crdt.ydoc.merged_lsn is 'state holds every op of the document that was committed up to here.';

create table crdt.tail (
  doc text not null,
  seq bigint not null,
  format text not null,
  payload bytea not null,
  merged_lsn pg_lsn not null,
  op_count bigint not null,
  primary key (doc, seq)
);
comment on table crdt.tail is 'What was merged since the state in ydoc: one row a write-back. Compaction folds them into the state and deletes them.';
comment on column crdt.tail.payload is 'One update: all that this write-back added.';
comment on column crdt.tail.merged_lsn is 'State and tail up to this row hold every op of the document that was committed up to here.';

create table crdt.parked (
  doc text not null,
  seq bigint not null,
  format text not null,
  payload bytea not null,
  row_id bigint,
  lsn pg_lsn not null,
  primary key (doc, seq)
);
comment on table crdt.parked is 'Updates that came before one they build on, verbatim, until it arrives.';
comment on column crdt.parked.row_id is 'The id of the op row.';
comment on column crdt.parked.lsn is 'The end of the commit that brought the op.';

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
comment on table crdt.progress is 'How far the sidecar is, one row a slot. A procedure that waits for freshness polls it.';
comment on column crdt.progress.system_identifier is 'With timeline and nonce: which incarnation of the server written belongs to.';
comment on column crdt.progress.nonce is 'A new one at each write-back: tells a restored copy of the server from the server itself.';
comment on column crdt.progress.epoch is 'One more at each start of a sidecar: a sidecar of an older epoch writes nothing.';
comment on column crdt.progress.written is 'Every op committed up to here is merged, parked or a dead letter. 0/0 until the first backfill is written.';

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
  -- An op that comes again, through a slot made anew or from a backfill, is the same letter.
  unique (collection, row_id)
);
comment on table crdt.dead_letter is 'Ops that could not be merged, as they came, with the rule that refused them. Everything after them went on.';
comment on column crdt.dead_letter.lsn is 'The end of the commit that brought the op, 0/0 if a backfill did; seq is its place in that transaction.';
comment on column crdt.dead_letter.row_id is 'The id of the op row.';
comment on column crdt.dead_letter.role is 'Who inserted the op.';
comment on column crdt.dead_letter.rule is 'The stable code of the rule that was broken.';
comment on column crdt.dead_letter.byte_offset is 'Where in payload; null when the rule is not about a place.';
