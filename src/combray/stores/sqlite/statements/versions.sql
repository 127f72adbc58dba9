-- name: history
SELECT id, number, changed_at, actor, operation, before FROM version JOIN memory USING (key)
WHERE namespace = ?1 AND key = ?2 ORDER BY number

-- name: changed_by
SELECT DISTINCT version.key FROM version JOIN memory USING (key)
WHERE namespace = ?1 AND actor = ?2 ORDER BY version.key

-- name: exists
SELECT 1 FROM version WHERE key = ?1

-- name: add
INSERT INTO version (key, number, changed_at, actor, operation, before)
VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM version WHERE key = ?1), ?2, ?3, ?4, ?5)

-- name: put
INSERT INTO version (key, number, changed_at, actor, operation, before) VALUES (?1, ?2, ?3, ?4, ?5, ?6)

-- name: texts
SELECT key, number, before FROM version WHERE key IN (SELECT key FROM memory WHERE namespace = ?1)

-- name: set_text
UPDATE version SET before = ?3 WHERE key = ?1 AND number = ?2

-- name: of_keys
SELECT before FROM version WHERE key IN (SELECT value FROM json_each(?1))
