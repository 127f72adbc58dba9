-- name: get
SELECT value FROM setting WHERE name = ?1

-- name: put
INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)

-- name: drop
DELETE FROM setting WHERE name = ?1

-- name: between
SELECT value FROM setting WHERE name >= ?1 AND name < ?2 ORDER BY name

-- name: size_between
SELECT sum(length(value)) FROM setting WHERE name >= ?1 AND name < ?2

-- name: drop_between
DELETE FROM setting WHERE name >= ?1 AND name < ?2
