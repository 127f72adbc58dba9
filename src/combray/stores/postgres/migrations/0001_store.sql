-- Times are integer microseconds since 1970 (UTC). Keys come from one sequence and are never reused.
-- Texts compare by bytes (COLLATE "C"), as in SQLite. The big tables are partitioned by a hash of the namespace.
CREATE SEQUENCE memory_key AS bigint;

CREATE TABLE namespace (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name      text COLLATE "C" NOT NULL UNIQUE,
    revision  bigint NOT NULL DEFAULT 0,  -- grows by one with every committed write
    epoch     bigint NOT NULL DEFAULT 0,  -- grows when rows vanish: every cache starts afresh
    reindexed bigint NOT NULL DEFAULT 0   -- grows when index terms of a known row change
) WITH (fillfactor = 50);

CREATE TABLE memory (
    key              bigint   NOT NULL,
    namespace        bigint   NOT NULL,
    revision         bigint   NOT NULL,
    id               text COLLATE "C" NOT NULL,
    content          text COLLATE "C" NOT NULL,
    kind             text COLLATE "C" NOT NULL,
    category         text COLLATE "C" NOT NULL,
    importance       smallint NOT NULL CHECK (importance BETWEEN 1 AND 5),
    confidence       double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    tier             text COLLATE "C" NOT NULL,
    status           text COLLATE "C" NOT NULL,
    tags             text COLLATE "C" NOT NULL,  -- JSON array
    entities         text COLLATE "C" NOT NULL,  -- JSON array
    source           text COLLATE "C" NOT NULL,
    author           text COLLATE "C",
    session          text COLLATE "C",
    position         bigint,
    trust            text COLLATE "C" NOT NULL,
    moment           bigint   NOT NULL,  -- occurred_from, else recorded_at
    recorded_at      bigint   NOT NULL,
    occurred_from    bigint,
    occurred_to      bigint,
    valid_from       bigint,
    valid_to         bigint,
    expires_at       bigint,
    last_accessed_at bigint,
    access_count     bigint   NOT NULL DEFAULT 0,
    content_hash     text COLLATE "C" NOT NULL,
    context          text COLLATE "C" NOT NULL,
    evidence         text COLLATE "C" NOT NULL,  -- JSON array of ids
    supersedes       text COLLATE "C",
    superseded_by    text COLLATE "C",
    merged_into      text COLLATE "C",
    metadata         text COLLATE "C" NOT NULL,  -- JSON object; jsonb would refuse some of its texts
    slot             text COLLATE "C",
    aliases          text COLLATE "C" NOT NULL DEFAULT '{}',
    words            bigint   NOT NULL,  -- derived: words as a person counts them
    length           bigint   NOT NULL,  -- derived: index terms without stop words, for BM25
    asks             smallint NOT NULL,  -- derived: ends in a question
    times            smallint NOT NULL,  -- derived: holds a time expression
    cues             bigint   NOT NULL,  -- derived: kinds of answer it holds, bits of language.cues.Cue
    PRIMARY KEY (namespace, key),
    UNIQUE (namespace, id)
) PARTITION BY HASH (namespace);
CREATE INDEX memory_revision ON memory (namespace, revision);
CREATE INDEX memory_hash ON memory (namespace, content_hash);
CREATE INDEX memory_moment ON memory (namespace, moment, key);
CREATE INDEX memory_recorded ON memory (namespace, recorded_at, id);
CREATE INDEX memory_session ON memory (namespace, session, position) WHERE session IS NOT NULL;
CREATE INDEX memory_slot ON memory (namespace, slot) WHERE slot IS NOT NULL;
CREATE INDEX memory_pending ON memory (namespace, key) WHERE status = 'pending_embed';

CREATE TABLE version (
    namespace  bigint NOT NULL,
    key        bigint NOT NULL,
    number     bigint NOT NULL,
    changed_at bigint NOT NULL,
    actor      text COLLATE "C" NOT NULL,
    operation  text COLLATE "C" NOT NULL,
    before     text COLLATE "C" NOT NULL,  -- JSON object: the changed fields as they were
    PRIMARY KEY (namespace, key, number)
) PARTITION BY HASH (namespace);

CREATE TABLE label (
    namespace bigint  NOT NULL,
    sort      text COLLATE "C" NOT NULL,  -- 'entity' or 'tag'
    name      text COLLATE "C" NOT NULL,  -- casefolded
    key       bigint  NOT NULL,
    live      boolean NOT NULL,  -- derived: whether the memory's status is a live one
    PRIMARY KEY (namespace, sort, name, key)
) PARTITION BY HASH (namespace);
CREATE INDEX label_key ON label (namespace, key);

CREATE TABLE edge (
    namespace  bigint   NOT NULL,
    source     bigint   NOT NULL,
    target     bigint   NOT NULL,
    type       smallint NOT NULL,  -- place in types.EDGE_TYPES
    subtype    text COLLATE "C" NOT NULL,
    weight     double precision NOT NULL,
    reason     text COLLATE "C",
    created_by text COLLATE "C",   -- NULL: Combray itself
    created_at bigint   NOT NULL,
    PRIMARY KEY (namespace, source, target, type, subtype)
) PARTITION BY HASH (namespace);
CREATE INDEX edge_target ON edge (namespace, target);

CREATE TABLE model (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text COLLATE "C" NOT NULL UNIQUE,
    dimensions bigint NOT NULL
);

CREATE TABLE vector (
    namespace bigint NOT NULL,
    model     bigint NOT NULL,
    key       bigint NOT NULL,
    code      bytea  NOT NULL,  -- int8, direction only: cosine needs no scale
    PRIMARY KEY (namespace, model, key)
) PARTITION BY HASH (namespace);
ALTER TABLE vector ALTER COLUMN code SET STORAGE PLAIN;

-- The keyword index: one row per term and memory. `held` packs how often each of the four index fields (content,
-- context, origin, entities and tags) holds the term, 15 bits a field, the first field in the lowest bits.
CREATE TABLE posting (
    namespace bigint NOT NULL,
    term      text COLLATE "C" NOT NULL,
    key       bigint NOT NULL,
    held      bigint NOT NULL,
    PRIMARY KEY (namespace, term, key) INCLUDE (held)
) PARTITION BY HASH (namespace);

CREATE TABLE alias (
    namespace bigint  NOT NULL,
    name      text COLLATE "C" NOT NULL,
    canonical text COLLATE "C" NOT NULL,  -- equals `name` for the declared name itself
    key       bigint  NOT NULL,
    origin    text COLLATE "C" NOT NULL,  -- 'declared' or 'learned'
    live      boolean NOT NULL,  -- derived: the memory may teach: not forgotten, not third-party content
    PRIMARY KEY (namespace, name, canonical, key, origin)
);
CREATE INDEX alias_key ON alias (namespace, key);
CREATE INDEX alias_canonical ON alias (namespace, canonical, name) WHERE live;

CREATE TABLE operation (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace bigint NOT NULL,
    at        bigint NOT NULL,
    name      text COLLATE "C" NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    detail    text COLLATE "C" NOT NULL
);
CREATE INDEX operation_namespace ON operation (namespace, number);

CREATE TABLE setting (name text COLLATE "C" PRIMARY KEY, value text COLLATE "C" NOT NULL);

CREATE TABLE kept (
    namespace bigint NOT NULL,
    name      text COLLATE "C" NOT NULL,
    value     text COLLATE "C" NOT NULL,
    PRIMARY KEY (namespace, name)
);

CREATE TABLE workspace (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace bigint   NOT NULL,
    root      text COLLATE "C" NOT NULL,
    extra     text COLLATE "C" NOT NULL,  -- JSON array of paths
    sessions  text COLLATE "C" NOT NULL,  -- JSON array of paths
    redact    smallint NOT NULL,  -- whether secrets are taken out of notes too
    model     text COLLATE "C" NOT NULL,
    trust     text COLLATE "C" NOT NULL,
    judged    smallint NOT NULL,
    UNIQUE (namespace, root)
);

CREATE TABLE document (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace bigint NOT NULL,
    root      text COLLATE "C" NOT NULL,
    path      text COLLATE "C" NOT NULL,
    source    text COLLATE "C" NOT NULL,
    hash      text COLLATE "C" NOT NULL,  -- SHA-256 of the file's bytes
    size      bigint NOT NULL,
    modified  bigint NOT NULL,  -- nanoseconds since 1970
    UNIQUE (namespace, root, path)
);

CREATE TABLE chunk (
    key       bigint PRIMARY KEY,  -- of the memory
    namespace bigint NOT NULL,
    document  bigint,              -- NULL: no file has it any more
    position  bigint NOT NULL,
    hash      text COLLATE "C" NOT NULL  -- SHA-256 of the text, to the byte
);
CREATE INDEX chunk_document ON chunk (document, position);
CREATE INDEX chunk_hash ON chunk (namespace, hash);

CREATE TABLE run (
    namespace bigint NOT NULL,
    id        text COLLATE "C" NOT NULL,
    started   bigint NOT NULL,
    ended     bigint,
    state     text COLLATE "C" NOT NULL,  -- running, done, undone
    counts    text COLLATE "C" NOT NULL,  -- JSON object: what was done, how often
    seen      bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace, id)
);

CREATE TABLE run_part (
    namespace bigint NOT NULL,
    run       text COLLATE "C" NOT NULL,
    number    bigint NOT NULL,
    steps     text COLLATE "C" NOT NULL,
    PRIMARY KEY (namespace, run, number)
);

CREATE TABLE lease (
    namespace bigint NOT NULL,
    name      text COLLATE "C" NOT NULL,
    holder    text COLLATE "C" NOT NULL,
    until     bigint NOT NULL,
    PRIMARY KEY (namespace, name)
);

CREATE TABLE doubt (
    namespace bigint   NOT NULL,
    first     bigint   NOT NULL,  -- the smaller key
    second    bigint   NOT NULL,
    reason    text COLLATE "C" NOT NULL,
    answer    text COLLATE "C" NOT NULL,  -- empty while it waits
    halved    smallint NOT NULL,  -- whether both have lost confidence over it already
    run       text COLLATE "C" NOT NULL,  -- who wrote the row last
    PRIMARY KEY (namespace, first, second)
);
CREATE INDEX doubt_second ON doubt (namespace, second);

CREATE TABLE embed_job (
    namespace bigint  NOT NULL,
    key       bigint  NOT NULL,  -- of the memory
    model     text COLLATE "C" NOT NULL,
    added     bigint  NOT NULL,
    attempts  bigint  NOT NULL,  -- tries begun
    next_at   bigint  NOT NULL,  -- nobody takes it earlier: the next try, or the end of the lease
    holder    text COLLATE "C" NOT NULL,
    failed    boolean NOT NULL,  -- given up: waits to be retried by hand
    error     text COLLATE "C" NOT NULL,
    PRIMARY KEY (namespace, key, model)
);
CREATE INDEX embed_job_due ON embed_job (namespace, model, failed, next_at, key);

DO $$
DECLARE
    part text;
    place int;
BEGIN
    FOREACH part IN ARRAY ARRAY['memory', 'version', 'label', 'edge', 'vector', 'posting'] LOOP
        FOR place IN 0..7 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 8, REMAINDER %s)',
                           part || '_' || place, part, place);
        END LOOP;
    END LOOP;
    -- Whoever is not the owner sees the rows of one namespace: the one that the transaction has named.
    FOREACH part IN ARRAY ARRAY['memory', 'version', 'label', 'edge', 'vector', 'posting', 'alias', 'operation',
                                'kept', 'workspace', 'document', 'chunk', 'run', 'run_part', 'lease', 'doubt',
                                'embed_job'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
        EXECUTE format(
            'CREATE POLICY own_namespace ON %I USING (namespace = '
            '(SELECT nullif(current_setting(''combray.namespace'', true), '''')::bigint))', part);
    END LOOP;
END
$$;
