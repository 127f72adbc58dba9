-- Lists of keys, ids and hashes are one JSON parameter. The plus before `namespace` keeps SQLite off the indexes
-- that begin with the namespace: the keys are the rarer condition.

-- name: whole
SELECT key, {fields} FROM memory WHERE +namespace = ?1 AND key IN (SELECT value FROM json_each(?2))

-- name: by_key
SELECT key, {fields} FROM memory WHERE key = ?1

-- name: keys
SELECT key FROM memory WHERE namespace = ?1

-- name: known
SELECT key FROM memory WHERE +namespace = ?1 AND key IN (SELECT value FROM json_each(?2))

-- name: ids_among
SELECT id FROM memory WHERE namespace = ?1 AND id IN (SELECT value FROM json_each(?2))

-- name: ids
SELECT key, id FROM memory WHERE +namespace = ?1 AND key IN (SELECT value FROM json_each(?2)) ORDER BY key

-- name: contents
SELECT key, content FROM memory WHERE +namespace = ?1 AND key IN (SELECT value FROM json_each(?2))

-- name: access_counts
SELECT key, access_count FROM memory WHERE +namespace = ?1 AND key IN (SELECT value FROM json_each(?2))

-- name: with_id
SELECT key FROM memory WHERE namespace = ?1 AND id = ?2

-- name: with_id_between
SELECT key FROM memory WHERE namespace = ?1 AND id >= ?2 AND id < ?3 LIMIT 2

-- name: columns
-- What the columns in memory are made of, in the order of `columns.COLUMNS`. Scopes come as the tags that hold them.
-- The index finds the keys, which are sorted alone: sorting whole rows of a large store needs temporary files.
SELECT key, status, tier, kind, category, source, trust, author, session,
       CASE WHEN tags LIKE '%"scope:%' THEN tags END, position, words, length,
       importance, confidence, moment / 1e6, recorded_at / 1e6,
       CASE WHEN said_at IS NOT NULL THEN occurred_from END / 1e6,
       CASE WHEN said_at IS NOT NULL THEN occurred_to END / 1e6, valid_from / 1e6, valid_to / 1e6,
       expires_at / 1e6, asks, times, cues
FROM memory WHERE key IN (SELECT key FROM memory WHERE namespace = ?1 AND revision > ?2) ORDER BY key

-- name: count_since
SELECT count(*) FROM memory WHERE namespace = ?1 AND revision > ?2

-- name: counts
SELECT status, kind, category, count(*), min(moment), max(moment) FROM memory WHERE namespace = ?1
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3

-- name: live_with_hash
SELECT content_hash, min(key) FROM memory
WHERE namespace = ?1 AND content_hash IN (SELECT value FROM json_each(?2)) AND {live} GROUP BY content_hash

-- name: last_position
SELECT max(position) FROM memory WHERE namespace = ?1 AND session = ?2

-- name: latest
SELECT key, moment / 1e6 FROM memory
WHERE namespace = ?1 AND moment <= ?2 AND (?3 IS NULL OR source = ?3) AND {live}
ORDER BY moment DESC, key DESC LIMIT ?4

-- name: count_live
SELECT count(*) FROM memory WHERE namespace = ?1 AND {live}

-- name: count_live_of
SELECT count(*) FROM memory WHERE namespace = ?1 AND {live} AND kind IN (SELECT value FROM json_each(?2))

-- name: add
INSERT INTO memory (namespace, revision, moment, words, length, asks, times, cues, {fields}) VALUES ({marks})

-- name: change
UPDATE memory SET {assignments} WHERE +namespace = ?1 AND key = ?2

-- name: set_moment
UPDATE memory SET moment = coalesce(said_at, occurred_from, recorded_at) WHERE key = ?2

-- name: set_hash
UPDATE memory SET content_hash = ?3 WHERE key = ?2

-- name: set_derived
UPDATE memory SET words = ?3, length = ?4, asks = ?5, times = ?6, cues = ?7 WHERE key = ?2

-- name: set_revision
UPDATE memory SET revision = ?2 WHERE +namespace = ?1 AND key IN (SELECT value FROM json_each(?3))

-- name: touch
UPDATE memory SET access_count = access_count + ?3, last_accessed_at = max(coalesce(last_accessed_at, 0), ?4)
WHERE namespace = ?1 AND key = ?2

-- name: activate
UPDATE memory SET status = 'active', revision = ?2
WHERE +namespace = ?1 AND key IN (SELECT value FROM json_each(?3)) AND status = 'pending_embed'
