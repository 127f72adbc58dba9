-- Declared and learned names of entities.

-- name: pairs
SELECT DISTINCT name, canonical FROM alias
WHERE namespace = $1 AND live AND (name = ANY($2::text[]) OR canonical = ANY($3::text[]))

-- name: stated
SELECT canonical, name, origin, key FROM alias WHERE namespace = $1 AND live AND name <> canonical
ORDER BY canonical COLLATE "C", name COLLATE "C", key, origin LIMIT $2

-- name: add
INSERT INTO alias (namespace, name, canonical, key, origin, live)
SELECT $1, a.name, a.canonical, a.key, a.origin, a.live
FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::boolean[]) AS a (name, canonical, key, origin, live)
ON CONFLICT DO NOTHING

-- name: set_live
UPDATE alias SET live = (
    SELECT status <> 'forgotten' AND trust IN ('owner', 'agent') FROM memory WHERE namespace = $1 AND key = $2
) WHERE namespace = $1 AND key = $2

-- name: remove
DELETE FROM alias WHERE namespace = $1 AND key = ANY($2::bigint[])
