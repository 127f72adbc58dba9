-- name: backlogs
SELECT model, count(*) FILTER (WHERE NOT failed), count(*) FILTER (WHERE failed), min(added),
       (SELECT error FROM embed_job AS j WHERE j.namespace = $1 AND j.model = e.model AND error <> ''
        ORDER BY next_at DESC, key DESC LIMIT 1)
FROM embed_job AS e WHERE namespace = $1 AND done = 0 GROUP BY model ORDER BY model

-- name: left_behind
SELECT 1 FROM model AS o JOIN vector AS v ON v.namespace = $1 AND v.model = o.id
JOIN memory AS m ON m.key = v.key AND m.namespace = $1 AND m.status IN ('active', 'pending_embed')
WHERE o.name <> $2
AND NOT EXISTS (SELECT 1 FROM model AS n JOIN vector AS w ON w.namespace = $1 AND w.model = n.id
                AND w.key = v.key WHERE n.name = $2)
LIMIT 1

-- name: put
INSERT INTO embed_job (namespace, key, model, added, attempts, next_at, holder, failed, error)
SELECT $1, key, $2, $3, 0, $3, '', false, '' FROM unnest($4::bigint[]) AS k (key) ON CONFLICT DO NOTHING

-- name: retry
UPDATE embed_job SET failed = false, attempts = 0, next_at = $3 WHERE namespace = $1 AND model = $2 AND failed

-- name: remove
DELETE FROM embed_job WHERE namespace = $1 AND model = $2 AND key = ANY($3::bigint[])
