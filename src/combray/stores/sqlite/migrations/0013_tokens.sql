-- Vectors of a memory's tokens, for late interaction: rows of `dimensions` int8 numbers, one row after the other.
CREATE TABLE token_vector (
    namespace INTEGER NOT NULL,
    model     INTEGER NOT NULL REFERENCES model (id),
    key       INTEGER NOT NULL,
    code      BLOB    NOT NULL,  -- empty for a text without tokens
    PRIMARY KEY (namespace, model, key)
) STRICT;
CREATE INDEX token_vector_key ON token_vector (key);
