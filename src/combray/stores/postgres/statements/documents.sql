-- name: chunks
SELECT c.key, c.hash FROM chunk AS c JOIN document AS d ON d.id = c.document
WHERE d.namespace = $1 AND c.namespace = $1 AND d.root = $2 AND d.path = $3 ORDER BY c.position

-- name: count_chunks
SELECT count(*) FROM document AS d JOIN chunk AS c ON c.document = d.id
WHERE d.namespace = $1 AND c.namespace = $1 AND d.root = $2

-- name: chunks_with_hash
SELECT hash, key, document IS NULL FROM chunk WHERE namespace = $1 AND hash = ANY($2::text[]) ORDER BY key

-- name: put_chunks
INSERT INTO chunk (key, namespace, document, position, hash)
SELECT c.key, $1, $2, c.position, c.hash FROM unnest($3::bigint[], $4::bigint[], $5::text[]) AS c (key, position, hash)
ON CONFLICT (key) DO UPDATE SET document = excluded.document, position = excluded.position, hash = excluded.hash

-- name: loosen_chunks
UPDATE chunk SET document = NULL WHERE namespace = $1 AND document = $2
