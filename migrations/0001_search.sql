-- Full-text search over skills. Derived data: it may be dropped and rebuilt from the rows (docs/storage.md says how).
-- The text is segmented before it gets here (src/domain/search.ts), so unicode61 only has to split at spaces.
-- rowid = skills.seq; `scope` holds one token per scope, so that a query never walks other tenants' matches.
CREATE VIRTUAL TABLE skill_search USING fts5(scope, name, description, tags, tokenize = 'unicode61 remove_diacritics 2');
