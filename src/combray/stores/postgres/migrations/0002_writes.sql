-- The ids of the last eight writes, the latest first: a writer whose connection broke during COMMIT finds its own.
ALTER TABLE namespace ADD COLUMN writes bigint[] NOT NULL DEFAULT '{}';
