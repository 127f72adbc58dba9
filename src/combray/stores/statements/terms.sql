-- The keyword index. Terms carry their namespace's number in front (`namespace.term`).

-- name: postings
SELECT group_concat(doc * 4 + col) FROM term_posting WHERE term = ?1

-- name: holding
SELECT doc FROM term_count WHERE term = ?1

-- name: every
SELECT term, doc, cast(col AS INTEGER), offset FROM term_posting

-- name: add
INSERT INTO term_index (rowid, "0", "1", "2", "3") VALUES (?1, ?2, ?3, ?4, ?5)

-- name: remove
INSERT INTO term_index (term_index, rowid, "0", "1", "2", "3") VALUES ('delete', ?1, ?2, ?3, ?4, ?5)

-- name: remove_all
INSERT INTO term_index (term_index) VALUES ('delete-all')

-- name: rewrite
-- One segment without tombstones, which would keep the words of removed memories.
INSERT INTO term_index (term_index) VALUES ('optimize')
