-- The server, the schema and the role.

-- name: lock
-- One starting process at a time brings the schema up to date.
SELECT pg_advisory_xact_lock(hashtextextended('combray ' || $1, 0))

-- name: schema_exists
SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1),
       to_regclass(quote_ident($1) || '.setting') IS NOT NULL

-- name: begin_read
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY

-- name: begin_write
BEGIN ISOLATION LEVEL READ COMMITTED

-- name: wait_for_locks
-- Until the end of the transaction.
SELECT set_config('lock_timeout', $1, true)

-- name: configure
SELECT set_config('search_path', quote_ident($1) || ', public', false),
       set_config('lock_timeout', $2, false), set_config('synchronous_commit', $3, false),
       set_config('client_min_messages', 'warning', false)

-- name: use_role
SELECT set_config('role', 'combray_app', false)
WHERE EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'combray_app' AND pg_has_role(oid, 'MEMBER'))

-- name: tables_of_role
-- The role may use the tables, not their partitions; row-level security holds for whoever is not the owner.
DO $$
BEGIN
    BEGIN
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'combray_app') THEN
            CREATE ROLE combray_app NOLOGIN;
        END IF;
        EXECUTE format('GRANT combray_app TO %I', current_user);
    EXCEPTION WHEN insufficient_privilege OR duplicate_object THEN NULL;
    END;
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'combray_app') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO combray_app', current_schema());
        EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO combray_app', current_schema());
        GRANT SELECT, INSERT, UPDATE, DELETE ON namespace, memory, version, label, edge, model, vector,
            token_vector, posting, alias, operation, setting, kept, workspace, document, chunk, run, run_part, lease, doubt, embed_job
        TO combray_app;
    END IF;
END
$$

-- name: secured
SELECT current_user = 'combray_app'

-- name: writing_possible
SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only')

-- name: notify
-- Who misses it sees the write all the same: the commit does not wait for the disk.
SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)
