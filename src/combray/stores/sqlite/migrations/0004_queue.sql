-- Memories that wait for a vector. Workers share it: a job is leased in one transaction, done outside of any.
CREATE TABLE embed_job (
    namespace INTEGER NOT NULL REFERENCES namespace (id),
    key       INTEGER NOT NULL,  -- of the memory
    model     TEXT    NOT NULL,  -- the embedder's name; it may have no vector yet
    added     INTEGER NOT NULL,  -- microseconds, as everywhere
    attempts  INTEGER NOT NULL,  -- tries begun
    next_at   INTEGER NOT NULL,  -- nobody takes it earlier: the next try, or the end of the lease
    holder    TEXT    NOT NULL,  -- the worker that has it, or ''
    failed    INTEGER NOT NULL,  -- given up: waits to be retried by hand
    error     TEXT    NOT NULL,
    PRIMARY KEY (namespace, key, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX embed_job_due ON embed_job (namespace, model, failed, next_at, key);
CREATE TRIGGER embed_job_of_an_erased_memory AFTER DELETE ON memory BEGIN
    DELETE FROM embed_job WHERE namespace = OLD.namespace AND key = OLD.key;
END;

CREATE INDEX memory_pending ON memory (namespace, key) WHERE status = 'pending_embed';
