-- name: get
SELECT value FROM setting WHERE name = ?1

-- name: put
INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)

-- name: drop
DELETE FROM setting WHERE name = ?1
