-- name: model
SELECT id, dimensions FROM model WHERE name = ?1

-- name: add_model
INSERT OR IGNORE INTO model (name, dimensions) VALUES (?1, ?2)

-- name: all_until
-- A writer looks at what was committed: rows it has touched itself carry a later revision.
SELECT key, code FROM vector WHERE namespace = ?1 AND model = ?2
AND key NOT IN (SELECT key FROM memory WHERE namespace = ?1 AND revision > ?3)

-- name: new_between
-- A code of NULL: the memory has none, or has lost it with its text.
SELECT m.key, v.code FROM memory AS m
LEFT JOIN vector AS v ON v.namespace = m.namespace AND v.model = ?2 AND v.key = m.key
WHERE m.namespace = ?1 AND m.revision > ?4 AND m.revision <= ?3

-- name: codes
SELECT key, code FROM vector WHERE namespace = ?1 AND model = ?2 AND key IN (SELECT value FROM json_each(?3))

-- name: put
INSERT OR REPLACE INTO vector (namespace, model, key, code) VALUES (?1, ?2, ?3, ?4)

-- name: drop_model
DELETE FROM vector WHERE namespace = ?1 AND model = (SELECT id FROM model WHERE name = ?2)

-- name: count_by_model
SELECT name, count(*) FROM vector JOIN model ON model.id = vector.model WHERE namespace = ?1 GROUP BY 1

-- name: models_in
-- One look at the index for each model.
SELECT name FROM model WHERE EXISTS (SELECT 1 FROM vector WHERE namespace = ?1 AND model = model.id) ORDER BY name

-- name: models_of
SELECT name FROM model WHERE id IN (SELECT model FROM vector WHERE namespace = ?1 AND key = ?2)

-- name: drop
DELETE FROM vector WHERE namespace = ?1 AND key = ?2
