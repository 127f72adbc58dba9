-- name: history
SELECT id, number, changed_at, actor, operation, before FROM version JOIN memory USING (key)
WHERE namespace = ?1 AND key = ?2 ORDER BY number

-- name: changed_by
SELECT DISTINCT version.key FROM version JOIN memory USING (key)
WHERE namespace = ?1 AND actor = ?2 ORDER BY version.key

-- name: exists
SELECT 1 FROM version WHERE key = ?2

-- name: add
INSERT INTO version (key, number, changed_at, actor, operation, before)
VALUES (?2, (SELECT coalesce(max(number), 0) + 1 FROM version WHERE key = ?2), ?3, ?4, ?5, ?6)

-- name: put
INSERT INTO version (key, number, changed_at, actor, operation, before) VALUES (?2, ?3, ?4, ?5, ?6, ?7)

-- name: texts
SELECT key, number, before FROM version WHERE key IN (SELECT key FROM memory WHERE namespace = ?1)

-- name: set_text
UPDATE version SET before = ?4 WHERE key = ?2 AND number = ?3

-- name: of_keys
SELECT before FROM version WHERE key IN (SELECT value FROM json_each(?2))
