-- name: history
SELECT m.id, v.number, v.changed_at, v.actor, v.operation, v.before
FROM version AS v JOIN memory AS m ON m.namespace = $1 AND m.key = v.key
WHERE v.namespace = $1 AND v.key = $2 ORDER BY v.number

-- name: changed_by
SELECT DISTINCT key FROM version WHERE namespace = $1 AND actor = $2 ORDER BY key

-- name: exists
SELECT 1 FROM version WHERE namespace = $1 AND key = $2

-- name: add
INSERT INTO version (namespace, key, number, changed_at, actor, operation, before)
VALUES ($1, $2, (SELECT coalesce(max(number), 0) + 1 FROM version WHERE namespace = $1 AND key = $2), $3, $4, $5, $6)

-- name: put
INSERT INTO version (namespace, key, number, changed_at, actor, operation, before) VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: texts
SELECT key, number, before FROM version WHERE namespace = $1

-- name: set_text
UPDATE version SET before = $4 WHERE namespace = $1 AND key = $2 AND number = $3

-- name: of_keys
SELECT before FROM version WHERE namespace = $1 AND key = ANY($2::bigint[])
