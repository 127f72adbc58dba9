-- Entities that a caller declared, each with its other names, as a JSON object.
ALTER TABLE memory ADD COLUMN aliases TEXT NOT NULL DEFAULT '{}';
-- Derived: declared entities and aliases, and the aliases that texts state. Names are normalised.
CREATE TABLE alias (
    namespace INTEGER NOT NULL,
    name      TEXT    NOT NULL,
    canonical TEXT    NOT NULL,  -- equals `name` for the declared name itself
    key       INTEGER NOT NULL,
    origin    TEXT    NOT NULL,  -- 'declared' or 'learned'
    live      INTEGER NOT NULL,  -- derived: the memory may teach: not forgotten, not third-party content
    PRIMARY KEY (namespace, name, canonical, key, origin)
) STRICT, WITHOUT ROWID;
CREATE INDEX alias_key ON alias (key);
CREATE INDEX alias_canonical ON alias (namespace, canonical, name) WHERE live;
