-- What destroys memories, for many keys or ids at once.

-- name: remove_versions
DELETE FROM version WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: forget_file_hashes
-- A short file could be guessed by its hash; its size and time still show when it changes.
UPDATE document SET hash = ''
WHERE namespace = $1 AND id IN (SELECT document FROM chunk WHERE namespace = $1 AND key = ANY($2::bigint[]))

-- name: remove_chunks
DELETE FROM chunk WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: remove_edges
DELETE FROM edge WHERE namespace = $1 AND (source = ANY($2::bigint[]) OR target = ANY($2::bigint[]))

-- name: remove_vectors
DELETE FROM vector WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: remove_tokens
DELETE FROM token_vector WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: remove_doubts
DELETE FROM doubt WHERE namespace = $1 AND (first = ANY($2::bigint[]) OR second = ANY($2::bigint[]))

-- name: remove_jobs
DELETE FROM embed_job WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: remove_memories
DELETE FROM memory WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: forget_replaced
UPDATE memory SET supersedes = NULL WHERE namespace = $1 AND supersedes = ANY($2::text[])

-- name: forget_replacement
UPDATE memory SET superseded_by = NULL WHERE namespace = $1 AND superseded_by = ANY($2::text[])

-- name: forget_merge
UPDATE memory SET merged_into = NULL WHERE namespace = $1 AND merged_into = ANY($2::text[])

-- name: set_evidence
UPDATE memory SET evidence = $3 WHERE namespace = $1 AND key = $2

-- name: forget_operations
UPDATE operation SET memory_id = 'erased', detail = '' WHERE namespace = $1 AND memory_id = ANY($2::text[])

-- name: set_operation_detail
UPDATE operation SET detail = $3 WHERE namespace = $1 AND number = $2

-- name: rows_left
SELECT 'memory' WHERE EXISTS (SELECT 1 FROM memory WHERE key = ANY($1::bigint[]))
UNION ALL SELECT 'version' WHERE EXISTS (SELECT 1 FROM version WHERE key = ANY($1::bigint[]))
UNION ALL SELECT 'label' WHERE EXISTS (SELECT 1 FROM label WHERE key = ANY($1::bigint[]))
UNION ALL SELECT 'alias' WHERE EXISTS (SELECT 1 FROM alias WHERE key = ANY($1::bigint[]))
UNION ALL SELECT 'edge' WHERE EXISTS (
    SELECT 1 FROM edge WHERE source = ANY($1::bigint[]) OR target = ANY($1::bigint[])
)
UNION ALL SELECT 'vector' WHERE EXISTS (SELECT 1 FROM vector WHERE key = ANY($1::bigint[]))
UNION ALL SELECT 'token_vector' WHERE EXISTS (SELECT 1 FROM token_vector WHERE key = ANY($1::bigint[]))
UNION ALL SELECT 'posting' WHERE EXISTS (SELECT 1 FROM posting WHERE key = ANY($1::bigint[]))
UNION ALL SELECT 'chunk' WHERE EXISTS (SELECT 1 FROM chunk WHERE key = ANY($1::bigint[]))
UNION ALL SELECT 'doubt' WHERE EXISTS (
    SELECT 1 FROM doubt WHERE first = ANY($1::bigint[]) OR second = ANY($1::bigint[])
)
UNION ALL SELECT 'embed_job' WHERE EXISTS (SELECT 1 FROM embed_job WHERE key = ANY($1::bigint[]))

-- name: hashes
SELECT hash FROM chunk WHERE namespace = $1 AND key = ANY($2::bigint[])
UNION SELECT d.hash FROM chunk AS c JOIN document AS d ON d.id = c.document
WHERE c.namespace = $1 AND c.key = ANY($2::bigint[])

-- name: codes
SELECT code FROM vector WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: token_codes
SELECT code FROM token_vector WHERE namespace = $1 AND key = ANY($2::bigint[])

-- name: names
SELECT root, path FROM document
UNION ALL SELECT name, NULL FROM namespace
UNION ALL SELECT name, NULL FROM model
UNION ALL SELECT DISTINCT name, NULL FROM operation
UNION ALL SELECT DISTINCT operation, NULL FROM version
UNION ALL SELECT name, NULL FROM setting

-- name: tables
SELECT table_name::text FROM information_schema.columns
WHERE table_schema = current_schema() AND data_type IN ('text', 'bytea')
GROUP BY 1 ORDER BY 1

-- name: table_rows
SELECT t.* FROM {table} AS t

-- name: rewrite
VACUUM (FULL, ANALYZE) memory, version, label, posting, vector, token_vector, edge, alias, operation, document,
    chunk, embed_job
