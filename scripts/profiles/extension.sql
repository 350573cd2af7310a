-- What the extensions :extensions of a live PostgreSQL hold, one line an object, in the form of candidates.sql. They have to
-- lie in the schema `public` of a database where nothing else lies there.
-- `fact`: what the catalogue itself says about a function's purpose; excluded.toml gives the reasons.
SET search_path = pg_catalog, public;
COPY (
  WITH member AS (
    SELECT d.classid, d.objid FROM pg_catalog.pg_depend d
    JOIN pg_catalog.pg_extension e ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND e.oid = d.refobjid
    WHERE d.deptype = 'e' AND e.extname IN (:extensions)
  ), routine AS (
    SELECT p.*, pg_catalog.pg_get_function_identity_arguments(p.oid) AS identity, r.typrelid
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_type r ON r.oid = p.prorettype
    WHERE p.oid IN (SELECT objid FROM member WHERE classid = 'pg_catalog.pg_proc'::pg_catalog.regclass)
  ), told AS (
    SELECT r.*, CASE
      WHEN r.prorettype IN (SELECT oid FROM pg_catalog.pg_type WHERE typname IN ('internal', 'trigger', 'event_trigger')
          OR typname LIKE '%\_handler')
        OR (r.prokind <> 'a' AND 'pg_catalog.internal'::pg_catalog.regtype = ANY (r.proargtypes::pg_catalog.oid[])) THEN 'internal'
      WHEN r.oid IN (SELECT pg_catalog.unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout,
          typanalyze, typsubscript]) FROM pg_catalog.pg_type) THEN 'io'
      WHEN r.oid IN (SELECT castfunc FROM pg_catalog.pg_cast) THEN 'cast'
      WHEN r.oid IN (SELECT oprcode FROM pg_catalog.pg_operator) THEN 'operator'
      WHEN r.oid IN (
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
        FROM pg_catalog.generate_subscripts(t.proargmodes, 1) i WHERE t.proargmodes[i] IN ('o', 'b', 't')),
        (SELECT pg_catalog.string_agg(f.attname, ',' ORDER BY f.attnum) FROM pg_catalog.pg_attribute f
          WHERE f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped), '-') AS columns,
      t.prorettype::pg_catalog.regtype::pg_catalog.text AS result,
      l.lanname AS language, t.fact, t.identity AS detail
    FROM told t JOIN pg_catalog.pg_language l ON l.oid = t.prolang
      LEFT JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = t.oid
    UNION ALL
    SELECT 'operator', o.oprname, CASE o.oprkind WHEN 'l' THEN 'prefix' ELSE 'infix' END, '-', '-', '-', '-', '-', '-',
      o.oprresult::pg_catalog.regtype::pg_catalog.text, '-', '-',
      CASE WHEN o.oprleft = 0 THEN '' ELSE o.oprleft::pg_catalog.regtype || ' ' END || o.oprright::pg_catalog.regtype
    FROM pg_catalog.pg_operator o
    WHERE o.oid IN (SELECT objid FROM member WHERE classid = 'pg_catalog.pg_operator'::pg_catalog.regclass)
    UNION ALL
    SELECT 'type', y.typname, CASE y.typtype WHEN 'b' THEN 'base' WHEN 'p' THEN 'pseudo' WHEN 'r' THEN 'range'
        WHEN 'm' THEN 'multirange' WHEN 'c' THEN 'row' ELSE y.typtype::pg_catalog.text END, '-', '-', '-', '-', '-', '-', '-', '-', '-',
      coalesce((SELECT e.typname FROM pg_catalog.pg_type e WHERE e.oid = y.typarray), '-')
    FROM pg_catalog.pg_type y
    WHERE (y.oid IN (SELECT objid FROM member WHERE classid = 'pg_catalog.pg_type'::pg_catalog.regclass)
        OR y.typrelid IN (SELECT objid FROM member WHERE classid = 'pg_catalog.pg_class'::pg_catalog.regclass))
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_type e WHERE e.typarray = y.oid)
  ) every ORDER BY object COLLATE "C", name COLLATE "C", kind COLLATE "C", detail COLLATE "C"
) TO STDOUT;
