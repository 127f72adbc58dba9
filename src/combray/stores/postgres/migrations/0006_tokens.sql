-- Vectors of a memory's tokens, for late interaction: rows of `dimensions` int8 numbers, one row after the other.
CREATE TABLE token_vector (
    namespace bigint NOT NULL,
    model     bigint NOT NULL,
    key       bigint NOT NULL,
    code      bytea  NOT NULL,  -- empty for a text without tokens
    PRIMARY KEY (namespace, model, key)
) PARTITION BY HASH (namespace);
ALTER TABLE token_vector ALTER COLUMN code SET STORAGE EXTERNAL;
DO $$
BEGIN
    FOR place IN 0..7 LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF token_vector FOR VALUES WITH (MODULUS 8, REMAINDER %s)',
                       'token_vector_' || place, place);
    END LOOP;
END
$$;
ALTER TABLE token_vector ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_namespace ON token_vector USING (namespace =
    (SELECT nullif(current_setting('combray.namespace', true), '')::bigint));
