-- name: at_keys
SELECT source, target, type, subtype, weight, reason, created_by FROM edge
WHERE namespace = $1 AND source = ANY($2::bigint[]) AND type = ANY($3::bigint[])
UNION
SELECT source, target, type, subtype, weight, reason, created_by FROM edge
WHERE namespace = $1 AND target = ANY($2::bigint[]) AND type = ANY($3::bigint[])
ORDER BY 1, 2, 3, 4

-- name: joined
SELECT source, target, type FROM edge
WHERE namespace = $1 AND source = ANY($2::bigint[]) AND type = ANY($3::bigint[])
UNION ALL
SELECT source, target, type FROM edge
WHERE namespace = $1 AND target = ANY($2::bigint[]) AND type = ANY($3::bigint[])

-- name: to_keys
SELECT source, target, type, subtype, weight, reason, created_by FROM edge
WHERE namespace = $1 AND target = ANY($2::bigint[]) AND type = ANY($3::bigint[])
ORDER BY 1, 2, 3, 4

-- name: every
SELECT a.id, b.id, e.type, e.subtype, e.weight, e.reason, e.created_by, e.created_at
FROM edge AS e JOIN memory AS a ON a.namespace = $1 AND a.key = e.source
JOIN memory AS b ON b.namespace = $1 AND b.key = e.target
WHERE e.namespace = $1 AND e.type = ANY($2::bigint[])
ORDER BY e.source, e.target, e.type, e.subtype

-- name: count_by_type
SELECT type, count(*) FROM edge WHERE namespace = $1 GROUP BY 1

-- name: put
-- Returns how many are new: every part of the statement sees the table as it was before.
WITH given AS (
    SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::float8[], $7::text[], $8::text[])
        AS l (source, target, type, subtype, weight, reason, maker)
), stored AS (
    INSERT INTO edge AS e (namespace, source, target, type, subtype, weight, reason, created_by, created_at)
    SELECT $1, source, target, type, subtype, weight, reason, maker, $9 FROM given
    ON CONFLICT (namespace, source, target, type, subtype)
    DO UPDATE SET weight = greatest(e.weight, excluded.weight), created_by = coalesce(excluded.created_by, e.created_by)
)
SELECT count(*) FROM given AS g WHERE NOT EXISTS (
    SELECT 1 FROM edge AS e WHERE e.namespace = $1 AND e.source = g.source AND e.target = g.target
    AND e.type = g.type AND e.subtype = g.subtype
)

-- name: remove
DELETE FROM edge WHERE namespace = $1 AND source = $2 AND target = $3 AND type = $4
