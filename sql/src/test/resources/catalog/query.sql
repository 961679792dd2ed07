-- One line a fact about the schema crdt, without what differs from one install to the next.
with relation as (
  select c.relname::text as name, c.* from pg_class c where c.relnamespace = 'crdt'::regnamespace
), line as (
  select 1 as part, name as subject, 0 as place,
    format('%s %s%s%s%s', case relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
        when 'S' then 'sequence' else relkind::text end, name,
      case when relkind = 'p' then ' by ' || pg_get_partkeydef(oid) end,
      case when relispartition then ' ' || pg_get_expr(relpartbound, oid) end,
      ' with ' || array_to_string(reloptions, ', ')) as fact
  from relation where relkind in ('r', 'p', 'v', 'S')
  union all
  select 2, r.name, a.attnum, format('column %s.%s %s%s%s', r.name, a.attname, format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then ' not null' end,
    case when a.attidentity <> '' then ' identity ' || a.attidentity::text
      when a.attgenerated <> '' then ' generated ' || pg_get_expr(d.adbin, d.adrelid)
      when d.oid is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) end)
  from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
  where r.relkind in ('r', 'p', 'v') and not r.relispartition
  union all
  select 3, r.name, 0, format('constraint %s.%s %s', r.name, c.conname, pg_get_constraintdef(c.oid))
  from relation r join pg_constraint c on c.conrelid = r.oid where not r.relispartition
  union all
  select 4, r.name, 0, pg_get_indexdef(i.indexrelid) from relation r join pg_index i on i.indrelid = r.oid
  union all
  select 5, p.proname, 0, format('%s %s(%s)%s language %s %s%s%s%s%s body %s',
    case p.prokind when 'p' then 'procedure' else 'function' end, p.proname, pg_get_function_arguments(p.oid),
    ' returns ' || pg_get_function_result(p.oid), l.lanname,
    case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
    case p.proparallel when 's' then ' parallel safe' end,
    case when p.proisstrict then ' strict' end, case when p.prosecdef then ' security definer' end,
    ' set ' || array_to_string(p.proconfig, ', '), md5(p.prosrc))
  from pg_proc p join pg_language l on l.oid = p.prolang where p.pronamespace = 'crdt'::regnamespace
  union all
  select 6, r.name, 0, format('definition of %s %s', r.name, md5(pg_get_viewdef(r.oid))) from relation r where r.relkind = 'v'
  union all
  select 7, g.subject, 0, format('grant %s on %s to %s%s', string_agg(lower(g.privilege_type), ', ' order by g.privilege_type),
    g.subject, coalesce(grantee.rolname, 'public'), case when g.is_grantable then ' with grant option' end)
  from (
    select 'schema crdt' as subject, n.nspowner as owner, (aclexplode(n.nspacl)).* from pg_namespace n where n.nspname = 'crdt'
    union all
    select name, relowner, (aclexplode(relacl)).* from relation
    union all
    select r.name || '.' || a.attname, r.relowner, (aclexplode(a.attacl)).*
    from relation r join pg_attribute a on a.attrelid = r.oid
    union all
    select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', p.proowner,
      (aclexplode(coalesce(p.proacl, acldefault('f', p.proowner)))).*
    from pg_proc p where p.pronamespace = 'crdt'::regnamespace
  ) g left join pg_roles grantee on grantee.oid = g.grantee
  where g.grantee <> g.owner
  group by g.subject, grantee.rolname, g.is_grantable
  union all
  select 8, p.pubname, 0, format('publication %s of %s: insert %s, update %s, delete %s, truncate %s, via root %s', p.pubname,
    (select string_agg(r.prrelid::regclass::text || coalesce(' where ' || pg_get_expr(r.prqual, r.prrelid), ''), ', '
       order by r.prrelid::regclass::text) from pg_publication_rel r where r.prpubid = p.oid),
    p.pubinsert, p.pubupdate, p.pubdelete, p.pubtruncate, p.pubviaroot)
  from pg_publication p
)
select fact from line order by part, subject collate "C", place, fact collate "C"
