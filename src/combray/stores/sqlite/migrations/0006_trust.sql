-- Which trust the texts of a folder have, and whether the guard has judged all of them. Folders that were indexed
-- before are judged when they are next looked at.
ALTER TABLE workspace ADD COLUMN trust TEXT NOT NULL DEFAULT 'owner';
ALTER TABLE workspace ADD COLUMN judged INTEGER NOT NULL DEFAULT 0;
-- What is in quarantine takes no part in what is current: nobody knows what it names.
UPDATE label SET live = 0 WHERE live AND key IN (SELECT key FROM memory WHERE trust = 'quarantined');
