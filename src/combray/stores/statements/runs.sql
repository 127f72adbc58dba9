-- Runs of consolidation with the parts of their plans, pairs in doubt, leases.

-- name: latest
SELECT id, started, ended, state, counts FROM run WHERE namespace = ?1
ORDER BY started DESC, id DESC LIMIT ?2

-- name: put
INSERT OR REPLACE INTO run (namespace, id, started, ended, state, counts)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)

-- name: put_parts
INSERT INTO run_part (namespace, run, number, steps)
SELECT ?1, ?2, 1 + key + (SELECT coalesce(max(number), 0) FROM run_part WHERE namespace = ?1 AND run = ?2), value
FROM json_each(?3)

-- name: take_part
DELETE FROM run_part WHERE namespace = ?1 AND run = ?2
AND number = (SELECT min(number) FROM run_part WHERE namespace = ?1 AND run = ?2) RETURNING steps

-- name: doubts
SELECT first, second, reason, answer, halved, run FROM doubt WHERE namespace = ?1 ORDER BY first, second

-- name: put_doubt
INSERT OR REPLACE INTO doubt (namespace, first, second, reason, answer, halved, run)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- name: drop_doubts
DELETE FROM doubt WHERE namespace = ?1 AND run = ?2

-- name: lease
SELECT holder, until FROM lease WHERE namespace = ?1 AND name = ?2

-- name: put_lease
INSERT OR REPLACE INTO lease (namespace, name, holder, until) VALUES (?1, ?2, ?3, ?4)

-- name: drop_lease
DELETE FROM lease WHERE namespace = ?1 AND name = ?2
