-- name: put
INSERT INTO token_vector (namespace, model, key, code)
SELECT $1, $2, v.key, v.code FROM unnest($3::bigint[], $4::bytea[]) AS v (key, code)
ON CONFLICT (namespace, model, key) DO UPDATE SET code = excluded.code

-- name: codes
SELECT key, code FROM token_vector WHERE namespace = $1 AND model = $2 AND key = ANY($3::bigint[])

-- name: measure
SELECT name, count(*), sum(length(code))::bigint FROM token_vector JOIN model ON model.id = token_vector.model
WHERE namespace = $1 GROUP BY 1
