-- name: at_keys
-- The caller has checked that the keys are of its namespace: no row of a memory is read.
SELECT source, target, type, subtype, weight, reason, created_by FROM edge
WHERE source IN (SELECT value FROM json_each(?2)) AND type IN (SELECT value FROM json_each(?3))
UNION
SELECT source, target, type, subtype, weight, reason, created_by FROM edge
WHERE target IN (SELECT value FROM json_each(?2)) AND type IN (SELECT value FROM json_each(?3))
ORDER BY 1, 2, 3, 4

-- name: joined
-- The index of targets holds all of these columns. An edge between two of the keys comes twice.
SELECT source, target, type FROM edge
WHERE source IN (SELECT value FROM json_each(?2)) AND type IN (SELECT value FROM json_each(?3))
UNION ALL
SELECT source, target, type FROM edge
WHERE target IN (SELECT value FROM json_each(?2)) AND type IN (SELECT value FROM json_each(?3))

-- name: to_keys
-- The index of targets holds the types: rows of other types are not read.
SELECT e.source, e.target, e.type, e.subtype, e.weight, e.reason, e.created_by FROM (
    SELECT edge.source, edge.target, edge.type, edge.subtype FROM json_each(?2) AS wanted
    CROSS JOIN edge INDEXED BY edge_target ON edge.target = wanted.value
    WHERE edge.type IN (SELECT value FROM json_each(?3))
) AS k
CROSS JOIN memory AS m ON m.key = k.target AND m.namespace = ?1
CROSS JOIN edge AS e ON e.source = k.source AND e.target = k.target AND e.type = k.type AND e.subtype = k.subtype
ORDER BY 1, 2, 3, 4

-- name: every
SELECT a.id, b.id, e.type, e.subtype, e.weight, e.reason, e.created_by, e.created_at
FROM edge AS e JOIN memory AS a ON a.key = e.source JOIN memory AS b ON b.key = e.target
WHERE a.namespace = ?1 AND e.type IN (SELECT value FROM json_each(?2))
ORDER BY e.source, e.target, e.type, e.subtype

-- name: count_by_type
SELECT type, count(*) FROM edge JOIN memory ON memory.key = edge.source WHERE namespace = ?1 GROUP BY 1

-- name: count_same
SELECT count(*) FROM edge WHERE source = ?1 AND target = ?2 AND type = ?3 AND subtype = ?4

-- name: put
INSERT INTO edge (source, target, type, subtype, weight, reason, created_by, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT DO UPDATE SET weight = max(weight, excluded.weight), created_by = coalesce(excluded.created_by, created_by)

-- name: remove
DELETE FROM edge WHERE source = ?2 AND target = ?3 AND type = ?4
AND EXISTS (SELECT 1 FROM memory WHERE key = edge.source AND namespace = ?1)
