-- The HNSW index of pgvector. `{model}` is a number and stands in the text: the index of a model is partial.

-- name: available
SELECT default_version, installed_version FROM pg_available_extensions WHERE name = 'vector'

-- name: installed
SELECT extversion FROM pg_extension WHERE extname = 'vector'

-- name: install
-- Not in the schema of the store, whose table of vectors is a type of the same name.
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public

-- name: is_prepared
SELECT EXISTS (
    SELECT 1 FROM pg_attribute WHERE attrelid = 'vector'::regclass AND attname = 'near' AND NOT attisdropped
)

-- name: prepare
-- A trigger fills the column, so that it is right whichever process writes, and however it is opened.
ALTER TABLE vector ADD COLUMN near halfvec;
CREATE FUNCTION near_of(code bytea) RETURNS halfvec LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg((get_byte(code, place) + 128) % 256 - 128 ORDER BY place)::integer[]::halfvec
    FROM generate_series(0, length(code) - 1) AS place
$$;
CREATE FUNCTION set_near() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.near := near_of(NEW.code);
    RETURN NEW;
END
$$;
CREATE TRIGGER near BEFORE INSERT OR UPDATE OF code ON vector FOR EACH ROW EXECUTE FUNCTION set_near();

-- name: pages
SELECT pg_relation_size(quote_ident($1)::regclass) / current_setting('block_size')::bigint + 1

-- name: fill
UPDATE {table} SET near = near_of(code) WHERE near IS NULL AND ctid >= $1::tid AND ctid < $2::tid

-- name: unfilled
SELECT 1 FROM vector WHERE near IS NULL LIMIT 1

-- name: some_vectors
SELECT 1 FROM vector LIMIT $1

-- name: lock
SELECT pg_advisory_lock(hashtextextended('combray near ' || $1, 0))

-- name: unlock
SELECT pg_advisory_unlock(hashtextextended('combray near ' || $1, 0))

-- name: models
SELECT id, dimensions FROM model ORDER BY id

-- name: partitions
SELECT c.relname::text FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
WHERE i.inhparent = 'vector'::regclass ORDER BY 1

-- name: indexes
SELECT c.relname::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relname LIKE 'near\_%' AND i.indisvalid

-- name: memory
-- Enough for the graph of a table, whose nodes have $2 bytes, up to $3 megabytes; never less than is configured.
SELECT set_config('maintenance_work_mem', greatest(
    pg_size_bytes(current_setting('maintenance_work_mem')) / 1024,
    least($3 * 1024, greatest(reltuples, 0)::bigint * $2 / 1024)
) || 'kB', false)
FROM pg_class WHERE oid = quote_ident($1)::regclass

-- name: drop_index
DROP INDEX IF EXISTS {name}

-- name: index
CREATE INDEX {how} {name} ON {table} USING hnsw ((near::halfvec({dimensions})) halfvec_cosine_ops)
WITH (m = 16, ef_construction = 64) WHERE model = {model}

-- name: configure
SELECT set_config(o.name, o.value, true) FROM unnest($1::text[], $2::text[]) AS o (name, value)

-- name: restore
-- Other statements of the transaction would be planned badly without sorting.
SET LOCAL enable_sort TO DEFAULT

-- name: present
-- 1: the vector has a direction; 0: it is all zeros.
SELECT key, (code <> decode(repeat('00', length(code)), 'hex'))::int::bigint FROM vector
WHERE namespace = $1 AND model = $2 AND key NOT IN (SELECT key FROM memory WHERE namespace = $1 AND revision > $3)

-- name: present_between
SELECT m.key, (v.code <> decode(repeat('00', length(v.code)), 'hex'))::int::bigint FROM memory AS m
LEFT JOIN vector AS v ON v.namespace = $1 AND v.model = $2 AND v.key = m.key
WHERE m.namespace = $1 AND m.revision > $4 AND m.revision <= $3

-- name: indexed
-- The best $3 of the $4 that the index gives first. Its order is relaxed: the addition keeps the planner from
-- relying on it (https://github.com/pgvector/pgvector#iterative-index-scans).
WITH found AS MATERIALIZED (
    SELECT key, code, near::halfvec({dimensions}) <=> $2::halfvec({dimensions}) AS distance FROM vector
    WHERE namespace = $1 AND model = {model}
    ORDER BY near::halfvec({dimensions}) <=> $2::halfvec({dimensions}) LIMIT $4
)
SELECT key, code FROM found ORDER BY distance + 0.0, key LIMIT $3

-- name: exact
-- The addition keeps the planner from the index.
SELECT key, code FROM vector WHERE namespace = $1 AND model = {model} AND key = ANY($2::bigint[])
ORDER BY (near::halfvec({dimensions}) <=> $3::halfvec({dimensions})) + 0.0, key LIMIT $4
