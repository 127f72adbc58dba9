-- name: identity
-- One statement, one state: another process may be making the tables at this moment.
SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id),
       (SELECT count(*) FROM sqlite_master)

-- name: probe
SELECT count(*) FROM sqlite_master

-- name: export
SELECT sqlcipher_export('copy')
