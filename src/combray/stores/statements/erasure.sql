-- What destroys memories, for many keys or ids at once, each list one JSON parameter.

-- name: remove_versions
DELETE FROM version WHERE key IN (SELECT value FROM json_each(?2))

-- name: forget_file_hashes
-- A short file could be guessed by its hash; its size and time still show when it changes.
UPDATE document SET hash = ''
WHERE id IN (SELECT document FROM chunk WHERE key IN (SELECT value FROM json_each(?2)))

-- name: remove_chunks
DELETE FROM chunk WHERE key IN (SELECT value FROM json_each(?2))

-- name: remove_edges
DELETE FROM edge
WHERE source IN (SELECT value FROM json_each(?2)) OR target IN (SELECT value FROM json_each(?2))

-- name: remove_vectors
DELETE FROM vector WHERE key IN (SELECT value FROM json_each(?2))

-- name: remove_tokens
DELETE FROM token_vector WHERE key IN (SELECT value FROM json_each(?2))

-- name: remove_doubts
DELETE FROM doubt WHERE namespace = ?1
AND (first IN (SELECT value FROM json_each(?2)) OR second IN (SELECT value FROM json_each(?2)))

-- name: remove_jobs
DELETE FROM embed_job WHERE namespace = ?1 AND key IN (SELECT value FROM json_each(?2))

-- name: remove_memories
DELETE FROM memory WHERE key IN (SELECT value FROM json_each(?2))

-- name: forget_replaced
UPDATE memory SET supersedes = NULL WHERE namespace = ?1 AND supersedes IN (SELECT value FROM json_each(?2))

-- name: forget_replacement
UPDATE memory SET superseded_by = NULL
WHERE namespace = ?1 AND superseded_by IN (SELECT value FROM json_each(?2))

-- name: forget_merge
UPDATE memory SET merged_into = NULL WHERE namespace = ?1 AND merged_into IN (SELECT value FROM json_each(?2))

-- name: evidence
SELECT key, evidence FROM memory WHERE namespace = ?1 AND evidence <> '[]'

-- name: set_evidence
UPDATE memory SET evidence = ?3 WHERE +namespace = ?1 AND key = ?2

-- name: forget_operations
UPDATE operation SET memory_id = 'erased', detail = ''
WHERE namespace = ?1 AND memory_id IN (SELECT value FROM json_each(?2))

-- name: operation_details
SELECT number, detail FROM operation WHERE namespace = ?1 AND detail <> ''

-- name: set_operation_detail
UPDATE operation SET detail = ?3 WHERE number = ?2

-- name: forget_errors
-- A model's error may quote the text that it was given.
UPDATE embed_job SET error = ?2 WHERE namespace = ?1 AND error <> ''

-- name: rows_left
SELECT 'memory' WHERE EXISTS (SELECT 1 FROM memory WHERE key IN (SELECT value FROM json_each(?1)))
UNION ALL SELECT 'version' WHERE EXISTS (SELECT 1 FROM version WHERE key IN (SELECT value FROM json_each(?1)))
UNION ALL SELECT 'label' WHERE EXISTS (SELECT 1 FROM label WHERE key IN (SELECT value FROM json_each(?1)))
UNION ALL SELECT 'alias' WHERE EXISTS (SELECT 1 FROM alias WHERE key IN (SELECT value FROM json_each(?1)))
UNION ALL SELECT 'edge' WHERE EXISTS (
    SELECT 1 FROM edge
    WHERE source IN (SELECT value FROM json_each(?1)) OR target IN (SELECT value FROM json_each(?1))
)
UNION ALL SELECT 'vector' WHERE EXISTS (SELECT 1 FROM vector WHERE key IN (SELECT value FROM json_each(?1)))
UNION ALL SELECT 'token_vector' WHERE EXISTS (
    SELECT 1 FROM token_vector WHERE key IN (SELECT value FROM json_each(?1))
)
UNION ALL SELECT 'chunk' WHERE EXISTS (SELECT 1 FROM chunk WHERE key IN (SELECT value FROM json_each(?1)))
UNION ALL SELECT 'doubt' WHERE EXISTS (
    SELECT 1 FROM doubt
    WHERE first IN (SELECT value FROM json_each(?1)) OR second IN (SELECT value FROM json_each(?1))
)
UNION ALL SELECT 'embed_job' WHERE EXISTS (
    SELECT 1 FROM embed_job WHERE key IN (SELECT value FROM json_each(?1))
)

-- name: hashes
SELECT hash FROM chunk WHERE key IN (SELECT value FROM json_each(?2))
UNION SELECT d.hash FROM chunk AS c JOIN document AS d ON d.id = c.document
WHERE c.key IN (SELECT value FROM json_each(?2))

-- name: codes
SELECT code FROM vector WHERE key IN (SELECT value FROM json_each(?2))

-- name: token_codes
SELECT code FROM token_vector WHERE key IN (SELECT value FROM json_each(?2))

-- name: memory_texts
-- Where the words of an erased memory may stand by right: in other memories, names, remarks of the schema. A short
-- number stands by chance in some id or hash.
SELECT id, content, kind, context, tags, entities, author, source, session, slot, aliases, metadata, content_hash
FROM memory

-- name: version_texts
SELECT before, actor FROM version

-- name: edge_texts
SELECT reason, subtype FROM edge

-- name: names
SELECT root, path FROM document
UNION ALL SELECT name, NULL FROM namespace
UNION ALL SELECT name, NULL FROM model
UNION ALL SELECT DISTINCT name, NULL FROM operation
UNION ALL SELECT DISTINCT operation, NULL FROM version
UNION ALL SELECT name, NULL FROM setting
UNION ALL SELECT sql, NULL FROM sqlite_master

-- name: hashes_held
SELECT content_hash FROM memory UNION SELECT hash FROM chunk UNION SELECT hash FROM document

-- name: codes_held
SELECT code FROM vector

-- name: token_codes_held
SELECT code FROM token_vector

-- name: tables
SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0

-- name: table_rows
SELECT * FROM "{table}"
