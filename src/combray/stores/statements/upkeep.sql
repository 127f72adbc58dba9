-- name: count_strays
SELECT count(*) FROM {table} WHERE key NOT IN (SELECT key FROM memory)

-- name: count_stray_edges
SELECT count(*) FROM edge
WHERE source NOT IN (SELECT key FROM memory) OR target NOT IN (SELECT key FROM memory)

-- name: count_crossing_edges
SELECT count(*) FROM edge AS e JOIN memory AS a ON a.key = e.source JOIN memory AS b ON b.key = e.target
WHERE a.namespace <> b.namespace

-- name: remove_strays
DELETE FROM {table} WHERE key NOT IN (SELECT key FROM memory)

-- name: remove_stray_edges
DELETE FROM edge WHERE source NOT IN (SELECT key FROM memory) OR target NOT IN (SELECT key FROM memory)

-- name: cut_out_keyword_index
DELETE FROM sqlite_master WHERE name LIKE 'term\_index%' ESCAPE '\' OR name IN ('term_posting', 'term_count')
