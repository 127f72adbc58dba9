-- The keyword index.

-- name: postings
-- For each term the memories with it whose keys come after a given one, as pairs of 64-bit numbers.
SELECT w.term, (
    SELECT string_agg(int8send(p.key) || int8send(p.held), ''::bytea ORDER BY p.key) FROM posting AS p
    WHERE p.namespace = $1 AND p.term = w.term AND p.key > w.after
) FROM unnest($2::text[], $3::bigint[]) AS w (term, after)

-- name: add
INSERT INTO posting (namespace, term, key, held)
SELECT $1, p.term, p.key, p.held FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS p (term, key, held)

-- name: remove
DELETE FROM posting USING unnest($2::text[], $3::bigint[]) AS gone (term, key)
WHERE posting.namespace = $1 AND posting.term = gone.term AND posting.key = gone.key

-- name: holding
SELECT term, count(*) FROM posting WHERE namespace = $1 AND term = ANY($2::text[]) GROUP BY 1

-- name: of_namespace
SELECT term, key, held FROM posting WHERE namespace = $1

-- name: remove_all
DELETE FROM posting
