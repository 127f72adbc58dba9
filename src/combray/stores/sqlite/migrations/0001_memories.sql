-- Times are integer microseconds since 1970 (UTC). Keys are never reused: caches and logs rely on it.
CREATE TABLE namespace (
    id       INTEGER PRIMARY KEY,
    name     TEXT    NOT NULL UNIQUE,
    revision INTEGER NOT NULL DEFAULT 0,  -- grows by one with every committed write
    epoch    INTEGER NOT NULL DEFAULT 0,  -- grows when rows vanish: every cache starts afresh
    reindexed INTEGER NOT NULL DEFAULT 0  -- grows when index terms of a known row change
) STRICT;

CREATE TABLE memory (
    key              INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace        INTEGER NOT NULL REFERENCES namespace (id),
    revision         INTEGER NOT NULL,
    id               TEXT    NOT NULL,
    content          TEXT    NOT NULL,
    kind             TEXT    NOT NULL,
    category         TEXT    NOT NULL,
    importance       INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 5),
    confidence       REAL    NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    tier             TEXT    NOT NULL,
    status           TEXT    NOT NULL,
    tags             TEXT    NOT NULL,  -- JSON array
    entities         TEXT    NOT NULL,  -- JSON array
    source           TEXT    NOT NULL,
    author           TEXT,
    session          TEXT,
    position         INTEGER,
    trust            TEXT    NOT NULL,
    moment           INTEGER NOT NULL,  -- occurred_from, else recorded_at
    recorded_at      INTEGER NOT NULL,
    occurred_from    INTEGER,
    occurred_to      INTEGER,
    valid_from       INTEGER,
    valid_to         INTEGER,
    expires_at       INTEGER,
    last_accessed_at INTEGER,
    access_count     INTEGER NOT NULL DEFAULT 0,
    content_hash     TEXT    NOT NULL,
    context          TEXT    NOT NULL,
    evidence         TEXT    NOT NULL,  -- JSON array of ids
    supersedes       TEXT,
    superseded_by    TEXT,
    merged_into      TEXT,
    metadata         TEXT    NOT NULL,  -- JSON object
    words            INTEGER NOT NULL,  -- derived: words as a person counts them
    length           INTEGER NOT NULL,  -- derived: index terms without stop words, for BM25
    asks             INTEGER NOT NULL,  -- derived: ends in a question
    times            INTEGER NOT NULL,  -- derived: holds a time expression
    cues             INTEGER NOT NULL,  -- derived: kinds of answer it holds, bits of language.cues.Cue
    UNIQUE (namespace, id)
) STRICT;
CREATE INDEX memory_revision ON memory (namespace, revision);
CREATE INDEX memory_hash ON memory (namespace, content_hash);
CREATE INDEX memory_moment ON memory (namespace, moment);
CREATE INDEX memory_session ON memory (namespace, session, position) WHERE session IS NOT NULL;

CREATE TABLE version (
    key        INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    actor      TEXT    NOT NULL,
    operation  TEXT    NOT NULL,
    before     TEXT    NOT NULL,  -- JSON object: the changed fields as they were
    PRIMARY KEY (key, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE label (
    namespace INTEGER NOT NULL,
    sort      TEXT    NOT NULL,  -- 'entity' or 'tag'
    name      TEXT    NOT NULL,  -- casefolded
    key       INTEGER NOT NULL,
    live      INTEGER NOT NULL,  -- derived: whether the memory's status is a live one; counting reads no rows
    PRIMARY KEY (namespace, sort, name, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_key ON label (key);

CREATE TABLE edge (
    source     INTEGER NOT NULL,
    target     INTEGER NOT NULL,
    type       INTEGER NOT NULL,  -- place in types.EDGE_TYPES
    subtype    TEXT    NOT NULL,
    weight     REAL    NOT NULL,
    reason     TEXT,
    created_by TEXT,              -- NULL: Combray itself
    created_at INTEGER NOT NULL,
    PRIMARY KEY (source, target, type, subtype)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_target ON edge (target);

CREATE TABLE model (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
) STRICT;

CREATE TABLE vector (
    namespace INTEGER NOT NULL,
    model     INTEGER NOT NULL REFERENCES model (id),
    key       INTEGER NOT NULL,
    code      BLOB    NOT NULL,  -- int8, direction only: cosine needs no scale
    PRIMARY KEY (namespace, model, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE operation (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    name      TEXT    NOT NULL,
    memory_id TEXT    NOT NULL,
    detail    TEXT    NOT NULL
) STRICT;
CREATE INDEX operation_namespace ON operation (namespace, number);

-- Terms are tokenised, folded and stemmed by combray.language and carry their namespace's number in
-- front, so that no posting list ever crosses a namespace. Columns: content, context, origin (author
-- and date), entities and tags. Contentless: the originals are in `memory`.
CREATE VIRTUAL TABLE term_index USING fts5 (
    "0", "1", "2", "3", content = '', columnsize = 0, tokenize = "ascii tokenchars '_'"
);
CREATE VIRTUAL TABLE term_posting USING fts5vocab (term_index, instance);
CREATE VIRTUAL TABLE term_count USING fts5vocab (term_index, row);

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
