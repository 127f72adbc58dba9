-- name: jobs
SELECT {job} FROM embed_job WHERE namespace = ?1 AND model = ?2 ORDER BY key

-- name: jobs_held
SELECT {job} FROM embed_job WHERE namespace = ?1 AND model = ?2 AND holder = ?3 ORDER BY key

-- name: jobs_due
SELECT {job} FROM embed_job WHERE namespace = ?1 AND model = ?2 AND done = 0 AND NOT failed AND next_at <= ?3
ORDER BY next_at, key LIMIT ?4

-- name: given_up
SELECT {job} FROM embed_job WHERE namespace = ?1 AND model = ?2 AND done = 0 AND failed ORDER BY key LIMIT ?3

-- name: backlogs
SELECT model, sum(NOT failed), sum(failed), min(added),
       (SELECT error FROM embed_job AS j WHERE j.namespace = e.namespace AND j.model = e.model AND error <> ''
        ORDER BY next_at DESC, key DESC LIMIT 1)
FROM embed_job AS e WHERE namespace = ?1 AND done = 0 GROUP BY model ORDER BY model

-- name: holders
SELECT DISTINCT holder FROM embed_job WHERE namespace = ?1 AND model = ?2 AND holder <> '' ORDER BY 1

-- name: orphans
SELECT key FROM memory AS m WHERE namespace = ?1 AND status = 'pending_embed'
AND NOT EXISTS (SELECT 1 FROM embed_job AS j WHERE j.namespace = ?1 AND j.key = m.key AND j.model = ?2)
ORDER BY key

-- name: lacking
SELECT key FROM memory AS m WHERE namespace = ?1 AND status IN ('active', 'pending_embed')
AND NOT EXISTS (SELECT 1 FROM vector AS v JOIN model AS n ON n.id = v.model AND n.name = ?2
                WHERE v.namespace = ?1 AND v.key = m.key)
AND NOT EXISTS (SELECT 1 FROM token_vector AS t JOIN model AS n ON n.id = t.model AND n.name = ?2
                WHERE t.namespace = ?1 AND t.key = m.key)
ORDER BY key

-- name: unmarked
SELECT key FROM memory AS m WHERE namespace = ?1 AND kind = 'episode' AND status IN ('active', 'pending_embed')
AND NOT EXISTS (SELECT 1 FROM embed_job AS j WHERE j.namespace = ?1 AND j.key = m.key AND j.model = ?2)
ORDER BY key LIMIT ?3

-- name: left_behind
-- In this order of joins (CROSS), a store with one model is not read: every opening asks.
SELECT 1 FROM model AS o CROSS JOIN vector AS v ON v.namespace = ?1 AND v.model = o.id
CROSS JOIN memory AS m ON m.key = v.key AND m.namespace = ?1 AND m.status IN ('active', 'pending_embed')
WHERE o.name <> ?2
AND NOT EXISTS (SELECT 1 FROM model AS n JOIN vector AS w ON w.namespace = ?1 AND w.model = n.id
                AND w.key = v.key WHERE n.name = ?2)
LIMIT 1

-- name: put
INSERT INTO embed_job (namespace, key, model, added, attempts, next_at, holder, failed, error)
SELECT ?1, value, ?2, ?3, 0, ?3, '', 0, '' FROM json_each(?4) WHERE true ON CONFLICT DO NOTHING

-- name: update
UPDATE embed_job SET attempts = ?4, next_at = ?5, holder = ?6, failed = ?7, error = ?8, done = ?9
WHERE namespace = ?1 AND key = ?2 AND model = ?3

-- name: release
UPDATE embed_job SET holder = '', next_at = ?3 WHERE namespace = ?1 AND holder = ?2

-- name: retry
UPDATE embed_job SET failed = 0, attempts = 0, next_at = ?3 WHERE namespace = ?1 AND model = ?2 AND failed

-- name: remove
DELETE FROM embed_job WHERE namespace = ?1 AND model = ?2 AND key IN (SELECT value FROM json_each(?3))

-- name: drop
DELETE FROM embed_job WHERE namespace = ?1 AND model = ?2
