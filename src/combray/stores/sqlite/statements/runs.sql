-- Runs of consolidation with the parts of their plans, pairs in doubt, leases.

-- name: latest
SELECT id, started, ended, state, counts, seen FROM run WHERE namespace = ?1
ORDER BY started DESC, id DESC LIMIT ?2

-- name: put
INSERT OR REPLACE INTO run (namespace, id, started, ended, state, counts, seen)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- name: last_part
SELECT coalesce(max(number), 0) FROM run_part WHERE namespace = ?1 AND run = ?2

-- name: put_part
INSERT INTO run_part (namespace, run, number, steps) VALUES (?1, ?2, ?3, ?4)

-- name: first_part
SELECT number, steps FROM run_part WHERE namespace = ?1 AND run = ?2 ORDER BY number LIMIT 1

-- name: remove_part
DELETE FROM run_part WHERE namespace = ?1 AND run = ?2 AND number = ?3

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
