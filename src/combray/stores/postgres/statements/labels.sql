-- Entities and tags by casefolded name.

-- name: named
SELECT DISTINCT name FROM label WHERE namespace = $1 AND sort = 'entity' AND name = ANY($2::text[]) AND live

-- name: naming
SELECT w.name, n.held, n.newest
FROM unnest($2::text[]) AS w (name) CROSS JOIN LATERAL (
    SELECT (SELECT count(*) FROM label WHERE namespace = $1 AND sort = 'entity' AND name = w.name AND live) AS held,
           ARRAY(SELECT key FROM label WHERE namespace = $1 AND sort = 'entity' AND name = w.name AND live
                 ORDER BY key DESC LIMIT $3) AS newest
) AS n

-- name: add
INSERT INTO label (namespace, sort, name, key, live)
SELECT $1, l.sort, l.name, l.key, l.live
FROM unnest($2::text[], $3::text[], $4::bigint[], $5::boolean[]) AS l (sort, name, key, live)
ON CONFLICT DO NOTHING

-- name: set_live
UPDATE label SET live = (SELECT {live} FROM memory WHERE namespace = $1 AND key = $2)
WHERE namespace = $1 AND key = $2

-- name: remove
DELETE FROM label WHERE namespace = $1 AND key = ANY($2::bigint[])
