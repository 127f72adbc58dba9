-- Declared and learned names of entities. An index is walked from pair to pair, however many memories state one.

-- name: any
SELECT 1 FROM alias WHERE namespace = ?1 AND live LIMIT 1

-- name: beginning
SELECT value FROM json_each(?2) WHERE EXISTS (
    SELECT 1 FROM alias WHERE namespace = ?1 AND name >= value AND name < value || char(1114111) AND live
) OR EXISTS (
    SELECT 1 FROM alias WHERE namespace = ?1 AND canonical >= value AND canonical < value || char(1114111) AND live
)

-- name: canonicals
WITH RECURSIVE pair (name, canonical) AS (
    SELECT value, (
        SELECT min(canonical) FROM alias WHERE namespace = ?1 AND name = value AND live
    ) FROM json_each(?2)
    UNION ALL
    SELECT name, (
        SELECT min(canonical) FROM alias
        WHERE namespace = ?1 AND name = pair.name AND live AND canonical > pair.canonical
    ) FROM pair WHERE canonical IS NOT NULL
)
SELECT name, canonical FROM pair WHERE canonical IS NOT NULL

-- name: names
WITH RECURSIVE pair (canonical, name) AS (
    SELECT value, (
        SELECT min(name) FROM alias WHERE namespace = ?1 AND canonical = value AND live
    ) FROM json_each(?2)
    UNION ALL
    SELECT canonical, (
        SELECT min(name) FROM alias
        WHERE namespace = ?1 AND canonical = pair.canonical AND live AND name > pair.name
    ) FROM pair WHERE name IS NOT NULL
)
SELECT name, canonical FROM pair WHERE name IS NOT NULL

-- name: stated
SELECT canonical, name, origin, key FROM alias WHERE namespace = ?1 AND live AND name <> canonical
ORDER BY canonical, name, key, origin LIMIT ?2

-- name: every
SELECT namespace, name, canonical, key, origin, live FROM alias

-- name: add
INSERT OR IGNORE INTO alias (namespace, name, canonical, key, origin, live) VALUES (?1, ?2, ?3, ?4, ?5, ?6)

-- name: set_live
UPDATE alias SET live = (
    SELECT status <> 'forgotten' AND trust IN ('owner', 'agent') FROM memory WHERE memory.key = ?2
) WHERE key = ?2

-- name: remove
DELETE FROM alias WHERE key IN (SELECT value FROM json_each(?2))

-- name: remove_all
DELETE FROM alias
