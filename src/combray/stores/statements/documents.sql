-- name: workspaces
SELECT root, extra, sessions, redact, model, trust, judged, scope FROM workspace WHERE namespace = ?1 ORDER BY id

-- name: put_workspace
INSERT INTO workspace (namespace, root, extra, sessions, redact, model, trust, judged, scope)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (namespace, root) DO UPDATE
SET extra = excluded.extra, sessions = excluded.sessions, redact = excluded.redact, model = excluded.model,
    trust = excluded.trust, judged = excluded.judged, scope = excluded.scope

-- name: drop_workspace
DELETE FROM workspace WHERE namespace = ?1 AND root = ?2

-- name: files
SELECT root, path, source, hash, size, modified FROM document WHERE namespace = ?1 AND root = ?2 ORDER BY path

-- name: put_file
INSERT INTO document (namespace, root, path, source, hash, size, modified) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (namespace, root, path)
DO UPDATE SET source = excluded.source, hash = excluded.hash, size = excluded.size, modified = excluded.modified
RETURNING id

-- name: drop_file
DELETE FROM document WHERE namespace = ?1 AND root = ?2 AND path = ?3 RETURNING id

-- name: chunks
SELECT key, c.hash FROM chunk AS c JOIN document AS d ON d.id = c.document
WHERE d.namespace = ?1 AND d.root = ?2 AND d.path = ?3 ORDER BY c.position

-- name: count_chunks
SELECT count(*) FROM document AS d JOIN chunk AS c ON c.document = d.id WHERE d.namespace = ?1 AND d.root = ?2

-- name: chunks_with_hash
SELECT hash, key, document IS NULL FROM chunk
WHERE namespace = ?1 AND hash IN (SELECT value FROM json_each(?2)) ORDER BY key

-- name: loose_chunks
SELECT key FROM chunk WHERE namespace = ?1 AND document IS NULL ORDER BY key

-- name: put_chunks
INSERT INTO chunk (key, namespace, document, position, hash) VALUES (?3, ?1, ?2, ?4, ?5)
ON CONFLICT (key) DO UPDATE SET document = excluded.document, position = excluded.position, hash = excluded.hash

-- name: loosen_chunks
UPDATE chunk SET document = NULL WHERE document = ?2
