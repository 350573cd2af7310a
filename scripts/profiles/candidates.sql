-- What pg_catalog of a live PostgreSQL holds, one line an object, tab-separated. Every name is escaped by COPY.
-- `fact`: what the catalogue itself says about a function's purpose; excluded.toml gives the reasons.
SET search_path = pg_catalog;
COPY (
  WITH routine AS (
    SELECT p.*, pg_catalog.obj_description(p.oid, 'pg_proc') AS description,
      pg_catalog.pg_get_function_identity_arguments(p.oid) AS identity
    FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace
  ), told AS (
    SELECT r.*, CASE
      WHEN r.prorettype IN (SELECT oid FROM pg_catalog.pg_type WHERE typname IN ('internal', 'trigger', 'event_trigger')
          OR typname LIKE '%\_handler')
        OR 'pg_catalog.internal'::pg_catalog.regtype = ANY (r.proargtypes::pg_catalog.oid[]) THEN 'internal'
      WHEN r.oid IN (SELECT pg_catalog.unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout,
          typanalyze, typsubscript]) FROM pg_catalog.pg_type) THEN 'io'
      WHEN r.description LIKE 'implementation of % operator' THEN 'operator'
      WHEN (r.description IS NULL OR r.description LIKE 'aggregate%') AND r.oid IN (
        SELECT pg_catalog.unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn,
          aggminvtransfn, aggmfinalfn]::pg_catalog.oid[]) FROM pg_catalog.pg_aggregate) THEN 'transition'
      WHEN r.oid IN (SELECT pg_catalog.unnest(ARRAY[oprrest, oprjoin]::pg_catalog.oid[]) FROM pg_catalog.pg_operator)
        THEN 'estimator'
      WHEN r.oid IN (SELECT amproc FROM pg_catalog.pg_amproc) THEN 'support'
      ELSE '-' END AS fact
    FROM routine r
  )
  SELECT * FROM (
    SELECT 'function' AS object, t.proname AS name,
      CASE WHEN t.prokind = 'f' THEN 'plain' WHEN t.prokind = 'w' THEN 'window'
        WHEN a.aggkind = 'n' THEN 'aggregate' WHEN a.aggkind = 'o' THEN 'within-group'
        WHEN a.aggkind = 'h' THEN 'hypothetical' ELSE t.prokind::pg_catalog.text END AS kind,
      CASE t.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END AS volatility,
      t.pronargs::pg_catalog.text AS arguments, t.pronargdefaults::pg_catalog.text AS defaults,
      CASE WHEN t.provariadic <> 0 THEN 'variadic' ELSE '-' END AS variadic,
      CASE WHEN t.proretset THEN 'set' ELSE 'one' END AS returns,
      coalesce((SELECT pg_catalog.string_agg(t.proargnames[i], ',' ORDER BY i)
        FROM pg_catalog.generate_subscripts(t.proargmodes, 1) i WHERE t.proargmodes[i] IN ('o', 'b', 't')), '-') AS columns,
      t.prorettype::pg_catalog.regtype::pg_catalog.text AS result,
      l.lanname AS language, t.fact, t.identity AS detail
    FROM told t JOIN pg_catalog.pg_language l ON l.oid = t.prolang
      LEFT JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = t.oid
    UNION ALL
    SELECT 'operator', o.oprname, CASE o.oprkind WHEN 'l' THEN 'prefix' ELSE 'infix' END, '-', '-', '-', '-', '-', '-',
      o.oprresult::pg_catalog.regtype::pg_catalog.text, '-', '-',
      CASE WHEN o.oprleft = 0 THEN '' ELSE o.oprleft::pg_catalog.regtype || ' ' END || o.oprright::pg_catalog.regtype
    FROM pg_catalog.pg_operator o WHERE o.oprnamespace = 'pg_catalog'::pg_catalog.regnamespace
    UNION ALL
    SELECT 'type', y.typname, CASE y.typtype WHEN 'b' THEN 'base' WHEN 'p' THEN 'pseudo' WHEN 'r' THEN 'range'
        WHEN 'm' THEN 'multirange' WHEN 'c' THEN 'row' ELSE y.typtype::pg_catalog.text END, '-', '-', '-', '-', '-', '-', '-', '-', '-',
      coalesce((SELECT e.typname FROM pg_catalog.pg_type e WHERE e.oid = y.typarray), '-')
    FROM pg_catalog.pg_type y WHERE y.typnamespace = 'pg_catalog'::pg_catalog.regnamespace
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_type e WHERE e.typarray = y.oid)
    UNION ALL
    SELECT 'collation', c.collname, CASE c.collprovider WHEN 'd' THEN 'database' WHEN 'b' THEN 'builtin' WHEN 'i' THEN 'icu'
        ELSE 'libc' END, '-', '-', '-', '-', '-', '-', '-', '-', '-', '-'
    FROM pg_catalog.pg_collation c WHERE c.collnamespace = 'pg_catalog'::pg_catalog.regnamespace
      AND (c.collprovider IN ('b', 'd') OR c.collname IN ('C', 'POSIX', 'unicode'))
  ) every ORDER BY object COLLATE "C", name COLLATE "C", kind COLLATE "C", detail COLLATE "C"
) TO STDOUT;
