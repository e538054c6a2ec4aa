-- The search index takes example prompts and the beginning of the instructions, too. FTS5 adds no column to a table, so it is made anew.
-- What was indexed stays found as before; `npm run reindex` fills the new columns from the rows (docs/storage.md). The old table may
-- have been dropped: everything but search does without it.
CREATE VIRTUAL TABLE IF NOT EXISTS skill_search USING fts5(scope, name, description, tags, tokenize = 'porter unicode61 remove_diacritics 2');
--> statement-breakpoint
CREATE TABLE skill_search_before AS SELECT rowid AS seq, scope, name, description, tags FROM skill_search;
--> statement-breakpoint
DROP TABLE skill_search;
--> statement-breakpoint
CREATE VIRTUAL TABLE skill_search USING fts5(scope, name, description, tags, examples, body, tokenize = 'porter unicode61 remove_diacritics 2');
--> statement-breakpoint
INSERT INTO skill_search (rowid, scope, name, description, tags) SELECT seq, scope, name, description, tags FROM skill_search_before;
--> statement-breakpoint
DROP TABLE skill_search_before;
