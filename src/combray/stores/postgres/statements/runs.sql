-- Runs of consolidation with the parts of their plans, pairs in doubt, leases.

-- name: latest
SELECT id, started, ended, state, counts FROM run WHERE namespace = $1
ORDER BY started DESC, id DESC LIMIT $2

-- name: put
INSERT INTO run (namespace, id, started, ended, state, counts) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (namespace, id) DO UPDATE SET started = excluded.started, ended = excluded.ended,
    state = excluded.state, counts = excluded.counts

-- name: put_parts
INSERT INTO run_part (namespace, run, number, steps)
SELECT $1, $2, p.place + coalesce((SELECT max(number) FROM run_part WHERE namespace = $1 AND run = $2), 0), p.steps
FROM unnest($3::text[]) WITH ORDINALITY AS p (steps, place)

-- name: take_part
DELETE FROM run_part WHERE namespace = $1 AND run = $2
AND number = (SELECT min(number) FROM run_part WHERE namespace = $1 AND run = $2) RETURNING steps

-- name: doubts
SELECT first, second, reason, answer, halved, run FROM doubt WHERE namespace = $1 ORDER BY first, second

-- name: put_doubt
INSERT INTO doubt (namespace, first, second, reason, answer, halved, run) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (namespace, first, second) DO UPDATE SET reason = excluded.reason, answer = excluded.answer,
    halved = excluded.halved, run = excluded.run

-- name: drop_doubts
DELETE FROM doubt WHERE namespace = $1 AND run = $2

-- name: lease
SELECT holder, until FROM lease WHERE namespace = $1 AND name = $2

-- name: put_lease
INSERT INTO lease (namespace, name, holder, until) VALUES ($1, $2, $3, $4)
ON CONFLICT (namespace, name) DO UPDATE SET holder = excluded.holder, until = excluded.until

-- name: drop_lease
DELETE FROM lease WHERE namespace = $1 AND name = $2
