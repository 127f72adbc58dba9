-- Entities and tags by casefolded name.

-- name: holders
SELECT key FROM label WHERE namespace = ?1 AND sort = ?2 AND name = ?3 ORDER BY key

-- name: named
SELECT value FROM json_each(?2)
WHERE EXISTS (SELECT 1 FROM label WHERE namespace = ?1 AND sort = 'entity' AND name = value AND live)

-- name: naming
SELECT wanted.value,
       (SELECT count(*) FROM label WHERE namespace = ?1 AND sort = 'entity' AND name = wanted.value AND live),
       (SELECT group_concat(key) FROM (
           SELECT key FROM label WHERE namespace = ?1 AND sort = 'entity' AND name = wanted.value AND live
           ORDER BY key DESC LIMIT ?3
       ))
FROM json_each(?2) AS wanted

-- name: entity_counts
SELECT name, count(*) AS holding FROM label WHERE namespace = ?1 AND sort = 'entity' AND live
GROUP BY name ORDER BY holding DESC, name LIMIT ?2

-- name: every
SELECT namespace, sort, name, key, live FROM label

-- name: add
INSERT OR IGNORE INTO label (namespace, sort, name, key, live) VALUES (?1, ?2, ?3, ?4, ?5)

-- name: set_live
UPDATE label SET live = (SELECT {live} FROM memory WHERE memory.key = ?2) WHERE key = ?2

-- name: remove
DELETE FROM label WHERE key IN (SELECT value FROM json_each(?2))

-- name: remove_all
DELETE FROM label
