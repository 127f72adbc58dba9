-- Folders of Markdown that are kept in the index, and the files in them as they were last read.
CREATE TABLE workspace (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL REFERENCES namespace (id),
    root      TEXT    NOT NULL,
    extra     TEXT    NOT NULL,  -- JSON array of paths
    sessions  TEXT    NOT NULL,  -- JSON array of paths
    redact    INTEGER NOT NULL,  -- whether secrets are taken out of notes too
    model     TEXT    NOT NULL,  -- the embedder that all chunks have a vector of, '' if some have none
    UNIQUE (namespace, root)
) STRICT;

CREATE TABLE document (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL REFERENCES namespace (id),
    root      TEXT    NOT NULL,
    path      TEXT    NOT NULL,
    source    TEXT    NOT NULL,
    hash      TEXT    NOT NULL,  -- SHA-256 of the file's bytes
    size      INTEGER NOT NULL,
    modified  INTEGER NOT NULL,  -- nanoseconds since 1970
    UNIQUE (namespace, root, path)
) STRICT;

CREATE TABLE chunk (
    key       INTEGER PRIMARY KEY,  -- of the memory
    namespace INTEGER NOT NULL,
    document  INTEGER,              -- NULL: no file has it any more
    position  INTEGER NOT NULL,
    hash      TEXT    NOT NULL      -- SHA-256 of the text, to the byte
) STRICT;
CREATE INDEX chunk_document ON chunk (document, position);
CREATE INDEX chunk_hash ON chunk (namespace, hash);
