-- name: state
-- Row-level security sees the namespace from here to the end of the transaction.
SELECT id, revision, epoch, reindexed, set_config('combray.namespace', id::text, true) FROM namespace WHERE name = $1

-- name: begin_write
-- Locks the namespace: its writes are made one after the other, and keys ascend in the order of their commits.
UPDATE namespace SET revision = revision + 1, writes = ($2 || writes)[1:8] WHERE name = $1
RETURNING id, revision, epoch, reindexed, set_config('combray.namespace', id::text, true)

-- name: last_writes
SELECT revision, writes FROM namespace WHERE name = $1 FOR UPDATE

-- name: add
INSERT INTO namespace (name) VALUES ($1) ON CONFLICT DO NOTHING

-- name: every
SELECT id, name FROM namespace ORDER BY id

-- name: kept
SELECT value FROM kept WHERE namespace = $1 AND name = $2

-- name: keep
INSERT INTO kept (namespace, name, value) VALUES ($1, $2, $3)
ON CONFLICT (namespace, name) DO UPDATE SET value = excluded.value
