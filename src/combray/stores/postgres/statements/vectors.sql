-- name: next_model
SELECT nextval(pg_get_serial_sequence('model', 'id'))

-- name: add_model
INSERT INTO model (id, name, dimensions) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- name: new_between
-- A code of NULL: the memory has none, or has lost it with its text.
SELECT m.key, v.code FROM memory AS m
LEFT JOIN vector AS v ON v.namespace = $1 AND v.model = $2 AND v.key = m.key
WHERE m.namespace = $1 AND m.revision > $4 AND m.revision <= $3

-- name: codes
SELECT key, code FROM vector WHERE namespace = $1 AND model = $2 AND key = ANY($3::bigint[])

-- name: put
INSERT INTO vector (namespace, model, key, code)
SELECT $1, $2, v.key, v.code FROM unnest($3::bigint[], $4::bytea[]) AS v (key, code)
ON CONFLICT (namespace, model, key) DO UPDATE SET code = excluded.code
