-- The scope of a folder's chunks, such as "scope:user:ann"; empty for none.
ALTER TABLE workspace ADD COLUMN scope text NOT NULL DEFAULT '';
