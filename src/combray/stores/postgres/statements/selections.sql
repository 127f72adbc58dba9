-- `{met}` is a condition of `conditions.py`.

-- name: metadata
SELECT key, metadata FROM memory WHERE namespace = $1 AND revision > $2 AND strpos(metadata, $3) > 0

-- name: any_metadata
SELECT key, metadata FROM memory WHERE namespace = $1 AND revision > $2

-- name: labelled
SELECT key FROM label WHERE namespace = $1 AND sort = ? AND name = ANY(?::text[])
