-- The default order of a list, and enough to count what may be shown without reading the rows.
CREATE INDEX IF NOT EXISTS memory_recorded ON memory (namespace, recorded_at, status, trust);
