-- name: lock
SELECT value FROM setting WHERE name = $1 FOR UPDATE

-- name: put
INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: put_first
INSERT INTO setting (name, value) VALUES ($1, '') ON CONFLICT DO NOTHING
