-- Migration 11: what a document is shown as: a projection a collection, blocks as rows, and search in any language.

-- Settings -----------------------------------------------------------------------------------------------------------

alter table crdt.collection
  add column projection text not null default 'auto'
    check (projection in ('auto', 'text', 'quill', 'prosemirror', 'lexical', 'slate', 'values')),
  add column blocks boolean not null default false,
  add column search_config text not null default 'english',
  add column search_language boolean not null default false,
  add column search_trigram boolean not null default false;
comment on column crdt.collection.projection is 'How a document becomes body_text and body_json: auto goes by the content of each root.';
comment on column crdt.collection.blocks is 'Whether each block of a document is a row of crdt.blocks too.';
comment on column crdt.collection.search_config is 'The text-search configuration of the indexes and of crdt.search.';
comment on column crdt.collection.search_language is 'Whether docs.language, where set, is the configuration of its document.';
comment on column crdt.collection.search_trigram is 'Whether body_text has a trigram index, for LIKE and ILIKE in any script.';
grant insert (projection, blocks, search_config, search_language, search_trigram) on crdt.collection to crdt_operator;

-- A reprojection is an order too. What the constraints say of other orders stays as it is.
do $$
declare
  checked record;
begin
  for checked in
    select conname, pg_catalog.pg_get_expr(conbin, conrelid) as expression from pg_catalog.pg_constraint
    where conrelid = 'crdt.command'::pg_catalog.regclass and conname in ('command_name_check', 'command_names_something')
  loop
    execute pg_catalog.format('alter table crdt.command drop constraint %1$I,'
      ' add constraint %1$I check (name = ''reproject'' or %2$s)', checked.conname, checked.expression);
  end loop;
end $$;
alter table crdt.command add constraint command_reproject
  check (name <> 'reproject' or num_nonnulls(dead_letter, rule, format) = 0);
comment on column crdt.command.name is 'retry-dead-letter: merge them now. discard-dead-letter: delete them. reproject: make text, JSON and blocks anew.';

-- Blocks -------------------------------------------------------------------------------------------------------------

create table crdt.blocks (
  doc text not null,
  block_id text not null,
  seq int not null,
  kind text not null,
  path text not null,
  text text not null,
  primary key (doc, block_id)
) with (fillfactor = 90); -- room for rows that only moved: they stay on their page, and no index hears of it
comment on table crdt.blocks is 'The blocks of each document that have text, one row each, written with its docs row; empty unless collection.blocks.';
comment on column crdt.blocks.block_id is 'The id that the editor gave it, or one made of its place in the history; stays while other blocks come and go.';
comment on column crdt.blocks.seq is 'Its place in the document, from 1.';
comment on column crdt.blocks.kind is 'What the document calls it: paragraph, heading, listItem; line in a text; the key in a map.';
comment on column crdt.blocks.path is 'The root and the blocks around it, outermost first.';

-- Search -------------------------------------------------------------------------------------------------------------

alter table crdt.docs
  add column language text,
  add column search_cut boolean not null default false;
comment on column crdt.docs.language is 'The text-search configuration of this document, if collection.search_language; null: the collection''s. The sidecar leaves it alone.';
comment on column crdt.docs.search_cut is 'Whether the end of body_text exceeds what a tsvector holds: search does not find words there.';
comment on column crdt.docs.body_text is 'The document as text; search it with crdt.search, or crdt.tsv(body_text) @@ websearch_to_tsquery(''english'', ...).';

-- Immutable, as to_tsvector with a fixed configuration is: who changes a configuration reindexes. A name is looked for in
-- pg_catalog, or in the schema before its dot. No cast to regconfig, which raises, and whose columns pg_upgrade refuses.
create function crdt.ts_config(name text) returns regconfig
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select c.oid from pg_ts_config c join pg_namespace n on n.oid = c.cfgnamespace
    where n.nspname = case when strpos(name, '.') > 0 then split_part(name, '.', 1) else 'pg_catalog' end
      and c.cfgname = case when strpos(name, '.') > 0 then split_part(name, '.', 2) else name end);
end $$;
comment on function crdt.ts_config(text) is 'The text-search configuration of that name, in pg_catalog or as schema.name; null: there is none.';

-- crdt.tsv_pieces of migration 2 with any configuration.
create function crdt.tsv_pieces(config regconfig, body text, out vector tsvector, out cut boolean)
language plpgsql immutable strict parallel safe cost 10000
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
as $$
declare
  body_chars constant int := least(char_length(body), 4000000);
  first int := 1;
  block text;
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
    piece := left(block, 32768);
    if first + 32768 <= body_chars then
      blank := strpos(translate(reverse(right(piece, 256)), E'\n\r\t', '   '), ' ');
      if blank > 1 then
        piece := left(piece, 1 - blank);
      end if;
    end if;
    next := to_tsvector(config, piece);
    if pg_column_size(vector) - 3 * length(vector) + pg_column_size(next) - 3 * length(next) > 1048575 then
      cut := true;
      exit;
    end if;
    vector := vector || next;
    first := first + char_length(piece);
    block := substr(block, char_length(piece) + 1);
  end loop;
end $$;
comment on function crdt.tsv_pieces(regconfig, text) is 'Inner part of crdt.tsv: the words of a long text, and whether some did not fit.';

create function crdt.tsv(config text, body text) returns tsvector
language plpgsql immutable strict parallel safe cost 1000
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
as $$
declare
  -- one that was dropped must not stop the document
  known constant regconfig := coalesce(crdt.ts_config(config), 'simple'::regconfig);
begin
  if octet_length(body) <= 131072 then
    return to_tsvector(known, body);
  end if;
  return (crdt.tsv_pieces(known, body)).vector;
end $$;
comment on function crdt.tsv(text, text) is 'crdt.tsv with another text-search configuration; one that does not exist is taken for simple.';

create function crdt.tsv_cut(config text, body text) returns boolean
language plpgsql immutable strict parallel safe cost 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  return octet_length(body) > 131072
    and (crdt.tsv_pieces(coalesce(crdt.ts_config(config), 'simple'::regconfig), body)).cut;
end $$;
comment on function crdt.tsv_cut(text, text) is 'Whether crdt.tsv with this configuration had to leave out the end of the text.';

-- websearch_to_tsquery, but for words that end in a star: those are put together with what is around them by the same rules.
create function crdt.query(config text, query text) returns tsquery
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
as $$
declare
  known constant regconfig := coalesce(crdt.ts_config(config), 'simple'::regconfig);
  token text;
  word text;
  term tsquery;
  all_of tsquery;
  any_of tsquery;
begin
  if regexp_replace(query, '"[^"]*"?', ' ', 'g') !~ '[[:alnum:]]\*(\s|$)' then
    return websearch_to_tsquery(known, query);
  end if;
  for token in select m[1] from regexp_matches(query, '(-?"[^"]*"?|[^\s"]+)', 'g') m loop
    if lower(token) = 'or' then
      any_of := coalesce(any_of || all_of, all_of, any_of);
      all_of := null;
      continue;
    end if;
    if token ~ '[[:alnum:]]\*$' and token !~ '"' then
      word := ltrim(rtrim(token, '*'), '-');
      -- the whole word is quoted: nothing of it is an operator
      term := to_tsquery(known, quote_literal(replace(word, '\', '')) || ':*');
      if numnode(term) = 0 then
        -- a stop word may well be the beginning of another one
        term := to_tsquery('simple', quote_literal(replace(word, '\', '')) || ':*');
      end if;
      if token like '-%' then
        term := !! term;
      end if;
    else
      term := websearch_to_tsquery(known, token);
    end if;
    if numnode(term) > 0 then
      all_of := coalesce(all_of && term, term);
    end if;
  end loop;
  return coalesce(any_of || all_of, all_of, any_of, ''::tsquery);
end $$;
comment on function crdt.query(text, text) is 'A search as people type it: words, "phrases", or, -not, and beginnings of words, as in wal*.';

create function crdt.check_language() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if crdt.ts_config(new.language) is null then
    raise exception 'there is no text-search configuration "%"', new.language using errcode = 'undefined_object',
      hint = 'select cfgnamespace::regnamespace, cfgname from pg_ts_config';
  end if;
  return new;
end $$;
comment on function crdt.check_language() is 'Trigger of docs: refuses a language that is no text-search configuration.';
create trigger docs_language before insert or update of language on crdt.docs
  for each row when (new.language is not null) execute function crdt.check_language();

create function crdt.flag_cut() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  config text;
  by_language boolean;
begin
  select c.search_config, c.search_language into config, by_language
  from crdt.collection c where c.name = tg_argv[0] order by c.version desc limit 1;
  if by_language then
    config := coalesce(new.language, config);
  end if;
  new.search_cut := coalesce(crdt.tsv_cut(config, new.body_text), false);
  return new;
end $$;
comment on function crdt.flag_cut() is 'Trigger of docs: sets search_cut. Its argument is the name of the collection.';
-- Only of texts that may be cut, so that the others cost nothing.
create trigger docs_search_cut before insert or update of body_text, language on crdt.docs
  for each row when (octet_length(new.body_text) > 131072 or new.search_cut) execute function crdt.flag_cut('default');
update crdt.docs set search_cut = true where octet_length(body_text) > 131072 and crdt.tsv_cut(body_text);

create index docs_by_language on crdt.docs (language) where language is not null;
create index blocks_search on crdt.blocks using gin (crdt.tsv(text));

-- The expression that is indexed, as pg_get_indexdef prints it; what is searched must be the same.
create function crdt.search_expression(config text, by_language boolean, body text) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select case
    when by_language then format('crdt.tsv(COALESCE(language, %L::text), %I)', config, body)
    when config = 'english' then format('crdt.tsv(%I)', body)
    else format('crdt.tsv(%L::text, %I)', config, body)
  end
$$;
comment on function crdt.search_expression(text, boolean, text) is 'Inner part of crdt.search: what its index is on.';

-- One that is there already, and fit for use, is taken: who can't have the table locked makes it concurrently before.
create procedure crdt.make_index(of regclass, wanted text, definition text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  made oid;
  other record;
begin
  if definition is not null then
    select i.indexrelid into made from pg_index i
    where i.indrelid = make_index.of and i.indisvalid
      and substring(pg_get_indexdef(i.indexrelid) from ' USING (.*)$') = definition;
  end if;
  for other in
    select i.indexrelid::regclass as index from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = make_index.of and c.relname = wanted and i.indexrelid is distinct from made
  loop
    execute format('drop index %s', other.index);
  end loop;
  if definition is null then
    return;
  end if;
  if made is null then
    execute format('create index %I on %s using %s', wanted, make_index.of, definition);
  elsif (select relname from pg_class where oid = made) <> wanted then
    execute format('alter index %s rename to %I', made::regclass, wanted);
  end if;
end $$;
comment on procedure crdt.make_index(regclass, text, text) is 'Inner part of crdt.alter_collection: the index of that name has this definition, or is gone if it is null.';

create procedure crdt.make_search(settings crdt.collection)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  trigrams text;
begin
  if not pg_has_role((select relowner from pg_class where oid = 'crdt.docs'::regclass), 'usage') then
    raise exception 'only the owner of crdt.docs changes how it is searched: its indexes are made anew'
      using errcode = 'insufficient_privilege';
  end if;
  if crdt.ts_config(settings.search_config) is null then
    raise exception 'there is no text-search configuration "%"', settings.search_config using errcode = 'undefined_object',
      hint = 'select cfgnamespace::regnamespace, cfgname from pg_ts_config';
  end if;
  if settings.search_trigram then
    select format('gin (body_text %I.gin_trgm_ops)', n.nspname) into trigrams
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm';
    if trigrams is null then
      raise exception 'a trigram index needs the extension pg_trgm' using errcode = 'undefined_object',
        hint = 'create extension pg_trgm';
    end if;
  end if;
  call crdt.make_index('crdt.docs', 'docs_search', format('gin (%s)',
    crdt.search_expression(settings.search_config, settings.search_language, 'body_text')));
  call crdt.make_index('crdt.docs', 'docs_trigram', trigrams);
  call crdt.make_index('crdt.blocks', 'blocks_search', format('gin (%s)',
    crdt.search_expression(settings.search_config, false, 'text')));
end $$;
comment on procedure crdt.make_search(crdt.collection) is 'Inner part of crdt.alter_collection: makes the indexes what the settings say.';

create function crdt.search(query text, collection text default 'default', max_rows int default 20)
returns table (doc text, rank real, headline text)
language plpgsql stable parallel safe rows 20
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  config text;
  by_language boolean;
  expression text;
  asked tsquery;
  found_in text[] := '{}';
begin
  if collection <> 'default' then
    raise exception 'there is no collection "%"', collection using errcode = 'undefined_object';
  end if;
  if max_rows not between 0 and 200 then
    raise exception 'crdt.search gives at most 200 rows' using errcode = 'invalid_parameter_value';
  end if;
  select c.search_config, c.search_language into config, by_language
  from crdt.collection c where c.name = collection order by c.version desc limit 1;
  expression := crdt.search_expression(config, by_language, 'body_text');
  if not by_language then
    found_in := array[config];
  else
    -- each language once, by an index that holds only them
    with recursive spoken as (
      (select d.language from crdt.docs d where d.language is not null order by d.language limit 1)
      union all
      select (select d.language from crdt.docs d where d.language > s.language order by d.language limit 1)
      from spoken s where s.language is not null
    )
    select array_agg(distinct l) into found_in
    from (select s.language from spoken s where s.language is not null union select config) x (l);
  end if;
  -- Ranking reads a whole text: of very many hits only those written last are ranked. Headlines are for what is returned.
  return query execute format($q$
    with hit as materialized (%s), ranked as (
      select h.doc, h.body_text, h.config, h.query,
        ts_rank(crdt.tsv(h.config, h.body_text), h.query, 1) as rank
      from (select * from hit order by updated_at desc limit 200) h
      order by rank desc, h.doc limit $2
    )
    select r.doc, r.rank,
      ts_headline(coalesce(crdt.ts_config(r.config), 'simple'), left(r.body_text, 100000), r.query,
        'StartSel=«, StopSel=», MaxFragments=2, MaxWords=20, MinWords=8, FragmentDelimiter=" … "')
    from ranked r order by r.rank desc, r.doc
  $q$, (
    select string_agg(format('select d.doc, d.body_text, d.updated_at, %1$L as config, crdt.query(%1$L, $1) as query'
      ' from crdt.docs d where %2$s @@ crdt.query(%1$L, $1)%3$s', language, expression,
      case when by_language then format(' and COALESCE(language, %L::text) = %L', config, language) end), ' union all ')
    from unnest(found_in) language
  )) using query, max_rows;
end $$;
comment on function crdt.search(text, text, int) is 'The documents that a search as people type it finds, best first, with the place where: words, "phrases", or, -not, and beginnings of words, as in wal*.';

-- Settings, changed --------------------------------------------------------------------------------------------------

drop function crdt.alter_collection;
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
  rotate_after interval default null,
  projection text default null,
  blocks boolean default null,
  search_config text default null,
  search_language boolean default null,
  search_trigram boolean default null,
  reproject boolean default false
) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  before crdt.collection;
  settings crdt.collection;
  given text;
  made bigint;
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception 'crdt.alter_collection needs READ COMMITTED, or it could copy settings that changed meanwhile'
      using errcode = 'invalid_transaction_state';
  end if;
  if projection not in ('auto', 'text', 'quill', 'prosemirror', 'lexical', 'slate', 'values') then
    raise exception 'there is no projection "%"', projection using errcode = 'invalid_parameter_value',
      hint = 'One of auto, text, quill, prosemirror, lexical, slate, values.';
  end if;
  -- one at a time: two that copy the same last version would lose one of the changes
  perform pg_advisory_xact_lock(hashtextextended('crdt.collection ' || name, 0));
  select c.* into before from crdt.collection c
  where c.name = alter_collection.name order by c.version desc limit 1;
  if not found then
    raise exception 'there is no collection "%"', name using errcode = 'undefined_object',
      hint = 'select distinct name from crdt.collection';
  end if;
  settings := before;
  settings.format := coalesce(format, before.format);
  settings.root := nullif(coalesce(root, before.root), '');
  settings.json_for_text := coalesce(json_for_text, before.json_for_text);
  settings.flush_debounce := coalesce(flush_debounce, before.flush_debounce);
  settings.flush_interval := coalesce(flush_interval, before.flush_interval);
  settings.wal_budget := coalesce(wal_budget, before.wal_budget);
  settings.staleness_max := coalesce(staleness_max, before.staleness_max);
  settings.fold_bytes := coalesce(fold_bytes, before.fold_bytes);
  settings.fold_ratio := coalesce(fold_ratio, before.fold_ratio);
  settings.fold_rows := coalesce(fold_rows, before.fold_rows);
  settings.fold_idle := coalesce(fold_idle, before.fold_idle);
  settings.rotate_after := coalesce(rotate_after, before.rotate_after);
  settings.projection := coalesce(projection, before.projection);
  settings.blocks := coalesce(blocks, before.blocks);
  settings.search_config := coalesce(search_config, before.search_config);
  settings.search_language := coalesce(search_language, before.search_language);
  settings.search_trigram := coalesce(search_trigram, before.search_trigram);
  -- whatever other settings there are is copied; what the server gives is not
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into given
  from pg_attribute a
  where a.attrelid = 'crdt.collection'::regclass and a.attnum > 0 and not a.attisdropped
    and a.attname not in ('version', 'created_at', 'created_by');
  execute pg_catalog.format('insert into crdt.collection (%1$s) select %1$s from (select ($1).*) s returning version', given)
    into made using settings;
  if (settings.search_config, settings.search_language, settings.search_trigram)
      is distinct from (before.search_config, before.search_language, before.search_trigram) then
    call crdt.make_search(settings);
  end if;
  -- blocks of all documents, or of none
  if reproject or settings.blocks <> before.blocks then
    insert into crdt.command (name, collection) values ('reproject', alter_collection.name);
  end if;
  return made;
end $$;
comment on function crdt.alter_collection is 'Changes the settings given (null: as they are; root '''': none declared) and returns the new version. In force for ops committed after it; with reproject, for all documents.';

-- Roles --------------------------------------------------------------------------------------------------------------

revoke all on crdt.blocks from public;
grant select on crdt.blocks to crdt_reader, crdt_operator;
grant select, insert, update, delete on crdt.blocks to crdt_sidecar;
-- An app says what language its documents are in.
grant update (language), select (doc, language) on crdt.docs to crdt_writer;
grant select on crdt.collection to crdt_writer;

revoke all on function crdt.ts_config(text), crdt.tsv_pieces(regconfig, text), crdt.tsv(text, text),
  crdt.tsv_cut(text, text), crdt.query(text, text), crdt.check_language(), crdt.flag_cut(),
  crdt.search_expression(text, boolean, text), crdt.search(text, text, int), crdt.alter_collection from public;
revoke all on procedure crdt.make_index(regclass, text, text), crdt.make_search(crdt.collection) from public;
grant execute on function crdt.ts_config(text), crdt.tsv(text, text), crdt.tsv_pieces(regconfig, text),
  crdt.tsv_cut(text, text) to crdt_writer, crdt_reader, crdt_operator, crdt_sidecar;
grant execute on function crdt.tsv(text), crdt.tsv_pieces(text) to crdt_writer; -- the indexes of a row it updates
grant execute on function crdt.query(text, text), crdt.search_expression(text, boolean, text),
  crdt.search(text, text, int) to crdt_reader, crdt_operator;
grant execute on function crdt.alter_collection to crdt_operator;
grant execute on procedure crdt.make_search(crdt.collection) to crdt_operator; -- which says who may
