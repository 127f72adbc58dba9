-- Runs of consolidation with the parts of their plans, pairs in doubt, leases.

-- name: put
INSERT INTO run (namespace, id, started, ended, state, counts) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (namespace, id) DO UPDATE SET started = excluded.started, ended = excluded.ended,
    state = excluded.state, counts = excluded.counts

-- name: put_parts
INSERT INTO run_part (namespace, run, number, steps)
SELECT $1, $2, p.place + coalesce((SELECT max(number) FROM run_part WHERE namespace = $1 AND run = $2), 0), p.steps
FROM unnest($3::text[]) WITH ORDINALITY AS p (steps, place)

-- name: put_doubt
INSERT INTO doubt (namespace, first, second, reason, answer, halved, run) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (namespace, first, second) DO UPDATE SET reason = excluded.reason, answer = excluded.answer,
    halved = excluded.halved, run = excluded.run

-- name: put_lease
INSERT INTO lease (namespace, name, holder, until) VALUES ($1, $2, $3, $4)
ON CONFLICT (namespace, name) DO UPDATE SET holder = excluded.holder, until = excluded.until
