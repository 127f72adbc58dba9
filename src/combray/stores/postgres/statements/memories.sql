-- name: next_keys
SELECT nextval('memory_key') FROM generate_series(1, $1)

-- name: pass_keys
-- Takes the numbers up to $1, usually none. Setting the sequence could set it back.
SELECT count(nextval('memory_key'))
FROM generate_series(coalesce(pg_sequence_last_value('memory_key'), 0) + 1, $1)

-- name: whole
SELECT key, {fields} FROM memory WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: keys
SELECT key FROM memory WHERE namespace = $1 ORDER BY key

-- name: known
SELECT key FROM memory WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: ids_among
SELECT id FROM memory WHERE namespace = $1 AND id = ANY($2::text[])

-- name: ids
SELECT key, id FROM memory WHERE namespace = $1 AND key = ANY($2::bigint[]) ORDER BY key

-- name: texts
SELECT key, id, content FROM memory WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: contents
SELECT key, content FROM memory WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: access_counts
SELECT key, access_count FROM memory WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: with_ids
SELECT id, key FROM memory WHERE namespace = $1 AND id = ANY($2::text[])

-- name: columns
-- What the columns in memory are made of, in the order of `columns.COLUMNS`. Scopes come as the tags that hold them.
-- Of varchar, texts are read by compiled code, and stay escaped (`adapters.unescaped`).
SELECT key, status::varchar, tier::varchar, kind::varchar, category::varchar, source::varchar, trust::varchar,
       author::varchar, session::varchar, CASE WHEN tags ILIKE '%"scope:%' THEN tags::varchar END,
       position, words, length,
       importance, confidence, moment::float8 / 1e6, recorded_at::float8 / 1e6,
       CASE WHEN said_at IS NOT NULL THEN occurred_from END::float8 / 1e6,
       CASE WHEN said_at IS NOT NULL THEN occurred_to END::float8 / 1e6, valid_from::float8 / 1e6,
       valid_to::float8 / 1e6, expires_at::float8 / 1e6, asks, times, cues
FROM memory WHERE namespace = $1 AND revision > $2 ORDER BY key

-- name: live_with_hash
SELECT content_hash, min(key) FROM memory
WHERE namespace = $1 AND content_hash = ANY($2::text[]) AND {live} GROUP BY content_hash

-- name: latest
SELECT key, moment::float8 / 1e6 FROM memory
WHERE namespace = $1 AND moment <= $2 AND ($3::text IS NULL OR source = $3::text) AND {live}
ORDER BY moment DESC, key DESC LIMIT $4

-- name: count_live_of
SELECT count(*) FROM memory WHERE namespace = $1 AND {live} AND kind = ANY($2::text[])

-- name: add
INSERT INTO memory (namespace, revision, moment, words, length, asks, times, cues, {fields}, key) VALUES ({marks})

-- name: change
UPDATE memory SET {assignments} WHERE namespace = $1 AND key = $2

-- name: set_moment
UPDATE memory SET moment = coalesce(said_at, occurred_from, recorded_at) WHERE namespace = $1 AND key = $2

-- name: set_hash
UPDATE memory SET content_hash = d.hash FROM unnest($2::bigint[], $3::text[]) AS d (key, hash)
WHERE memory.namespace = $1 AND memory.key = d.key

-- name: set_derived
UPDATE memory SET words = d.words, length = d.length, asks = d.asks, times = d.times, cues = d.cues
FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::smallint[], $7::bigint[])
    AS d (key, words, length, asks, times, cues)
WHERE memory.namespace = $1 AND memory.key = d.key

-- name: set_revision
UPDATE memory SET revision = $2 WHERE namespace = $1 AND key = ANY($3::bigint[])

-- name: touch
UPDATE memory SET access_count = access_count + $3, last_accessed_at = greatest(coalesce(last_accessed_at, 0), $4)
WHERE namespace = $1 AND key = $2

-- name: activate
UPDATE memory SET status = 'active', revision = $2
WHERE namespace = $1 AND key = ANY($3::bigint[]) AND status = 'pending_embed'
