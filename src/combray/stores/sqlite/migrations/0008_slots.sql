-- What a memory is a value of, as its caller named it. Few memories have one.
ALTER TABLE memory ADD COLUMN slot TEXT;
CREATE INDEX memory_slot ON memory (namespace, slot) WHERE slot IS NOT NULL;
