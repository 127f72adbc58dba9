-- When a turn was read for facts, in microseconds, or 0. Such a mark stays; a job for a vector is removed.
ALTER TABLE embed_job ADD COLUMN done bigint NOT NULL DEFAULT 0;
DROP INDEX embed_job_due;
CREATE INDEX embed_job_due ON embed_job (namespace, model, failed, next_at, key) WHERE done = 0;
-- The marks say what was read.
ALTER TABLE run DROP COLUMN seen;
