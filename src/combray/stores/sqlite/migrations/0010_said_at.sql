-- When a text was said whose own words say when it happened: occurred_from and occurred_to are then what they say.
ALTER TABLE memory ADD COLUMN said_at INTEGER;
