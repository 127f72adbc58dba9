-- `{met}` is a condition of `conditions.py`.

-- name: meeting
SELECT key FROM memory WHERE namespace = $1 AND revision > $2 AND {met}

-- name: changed
SELECT key FROM memory WHERE namespace = $1 AND revision > $2

-- name: metadata
SELECT key, metadata FROM memory WHERE namespace = $1 AND revision > $2 AND strpos(metadata, $3) > 0

-- name: any_metadata
SELECT key, metadata FROM memory WHERE namespace = $1 AND revision > $2

-- name: count
SELECT count(*) FROM memory WHERE namespace = $1 AND {met}

-- name: page
SELECT key FROM memory WHERE namespace = $1 AND {met} AND {after} ORDER BY {order} LIMIT $2

-- name: labelled
SELECT key FROM label WHERE namespace = $1 AND sort = ? AND name = ANY(?::text[])
