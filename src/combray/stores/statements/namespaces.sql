-- name: state
SELECT id, revision, epoch, reindexed FROM namespace WHERE name = ?1

-- name: names
SELECT name FROM namespace ORDER BY name

-- name: every
SELECT id, name FROM namespace

-- name: add
INSERT OR IGNORE INTO namespace (name) VALUES (?1)

-- name: set_revision
UPDATE namespace SET revision = ?2 WHERE id = ?1

-- name: grow_epoch
UPDATE namespace SET epoch = epoch + 1 WHERE id = ?1

-- name: grow_reindexed
UPDATE namespace SET reindexed = reindexed + 1 WHERE id = ?1

-- name: grow_all
-- After a repair: every process drops its caches.
UPDATE namespace SET epoch = epoch + 1, revision = revision + 1

-- name: log
SELECT number, at, name, memory_id, detail FROM operation WHERE namespace = ?1 ORDER BY number DESC LIMIT ?2

-- name: log_after
SELECT number, at, name, memory_id, detail FROM operation WHERE namespace = ?1 AND number > ?2
ORDER BY number LIMIT ?3

-- name: log_operation
INSERT INTO operation (namespace, at, name, memory_id, detail) VALUES (?1, ?2, ?3, ?4, ?5)

-- name: count_operations
SELECT count(*) FROM operation WHERE namespace = ?1

-- name: kept
SELECT value FROM setting WHERE name = ?1 || ':' || ?2

-- name: keep
INSERT OR REPLACE INTO setting (name, value) VALUES (?1 || ':' || ?2, ?3)
