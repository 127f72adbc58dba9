-- name: put
INSERT OR REPLACE INTO token_vector (namespace, model, key, code) VALUES (?1, ?2, ?3, ?4)

-- name: codes
SELECT key, code FROM token_vector WHERE namespace = ?1 AND model = ?2 AND key IN (SELECT value FROM json_each(?3))

-- name: measure
SELECT name, count(*), sum(length(code)) FROM token_vector JOIN model ON model.id = token_vector.model
WHERE namespace = ?1 GROUP BY 1

-- name: drop_model
DELETE FROM token_vector WHERE namespace = ?1 AND model = (SELECT id FROM model WHERE name = ?2)

-- name: drop
DELETE FROM token_vector WHERE namespace = ?1 AND key = ?2
