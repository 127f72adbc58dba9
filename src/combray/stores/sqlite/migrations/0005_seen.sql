-- How far a run of consolidation has read what was said: the key of the last episode it looked at for new facts.
ALTER TABLE run ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
