-- name: count_strays
SELECT count(*) FROM {table} AS t
WHERE NOT EXISTS (SELECT 1 FROM memory AS m WHERE m.namespace = t.namespace AND m.key = t.key)

-- name: count_stray_edges
SELECT count(*) FROM edge AS e
WHERE NOT EXISTS (SELECT 1 FROM memory AS m WHERE m.namespace = e.namespace AND m.key = e.source)
OR NOT EXISTS (SELECT 1 FROM memory AS m WHERE m.namespace = e.namespace AND m.key = e.target)

-- name: remove_strays
DELETE FROM {table} AS t
WHERE NOT EXISTS (SELECT 1 FROM memory AS m WHERE m.namespace = t.namespace AND m.key = t.key)

-- name: remove_stray_edges
DELETE FROM edge AS e
WHERE NOT EXISTS (SELECT 1 FROM memory AS m WHERE m.namespace = e.namespace AND m.key = e.source)
OR NOT EXISTS (SELECT 1 FROM memory AS m WHERE m.namespace = e.namespace AND m.key = e.target)
