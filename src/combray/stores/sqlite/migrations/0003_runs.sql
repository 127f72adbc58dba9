-- Runs of consolidation: what is planned and how far it was applied, so that a killed run can be finished.
-- Plans name memories by key only: nothing in them could outlive an erased memory.
CREATE TABLE run (
    namespace INTEGER NOT NULL REFERENCES namespace (id),
    id        TEXT    NOT NULL,
    started   INTEGER NOT NULL,  -- microseconds, as everywhere
    ended     INTEGER,
    state     TEXT    NOT NULL,  -- running, done, undone
    counts    TEXT    NOT NULL,  -- JSON object: what was done, how often
    PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;

-- What is left to do of a run that has not ended: each part goes in the transaction that applies it.
CREATE TABLE run_part (
    namespace INTEGER NOT NULL REFERENCES namespace (id),
    run       TEXT    NOT NULL,
    number    INTEGER NOT NULL,
    steps     TEXT    NOT NULL,
    PRIMARY KEY (namespace, run, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
    namespace INTEGER NOT NULL REFERENCES namespace (id),
    name      TEXT    NOT NULL,
    holder    TEXT    NOT NULL,
    until     INTEGER NOT NULL,
    PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

-- Pairs of facts that rules could not decide, and what was answered about them.
CREATE TABLE doubt (
    namespace INTEGER NOT NULL REFERENCES namespace (id),
    first     INTEGER NOT NULL,  -- the smaller key
    second    INTEGER NOT NULL,
    reason    TEXT    NOT NULL,
    answer    TEXT    NOT NULL,  -- empty while it waits
    halved    INTEGER NOT NULL,  -- whether both have lost confidence over it already
    run       TEXT    NOT NULL,  -- who wrote the row last
    PRIMARY KEY (namespace, first, second)
) STRICT, WITHOUT ROWID;
CREATE INDEX doubt_second ON doubt (second);
CREATE TRIGGER doubt_of_an_erased_memory AFTER DELETE ON memory BEGIN
    DELETE FROM doubt WHERE first = OLD.key OR second = OLD.key;
END;
