-- `{met}` is a condition of `conditions.py`. Its parameters are not numbered: they follow the numbered ones.

-- name: meeting
SELECT key FROM memory WHERE namespace = ?1 AND revision > ?2 AND {met}

-- name: changed
SELECT key FROM memory WHERE namespace = ?1 AND revision > ?2

-- name: count
SELECT count(*) FROM memory WHERE namespace = ?1 AND {met}

-- name: page
SELECT key FROM memory WHERE namespace = ?1 AND {met} AND {after} ORDER BY {order} LIMIT ?2

-- name: labelled
SELECT key FROM label WHERE namespace = ?1 AND sort = ? AND name IN ({listed})

-- name: listed
SELECT value FROM json_each(?)
