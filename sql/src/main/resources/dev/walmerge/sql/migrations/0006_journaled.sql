-- Migration 6: the progress row says when the slot alone does not have what is not written yet.

-- No index: the row stays HOT.
alter table crdt.progress add column journaled boolean not null default false;
comment on column crdt.progress.journaled is 'Whether the slot may have been told of ops past written that only the sidecar''s journal and the op rows hold. Committed before the slot is told.';
