-- Full-text search over skills. Derived data: it may be dropped and rebuilt from the rows (docs/storage.md says how).
-- The text is segmented before it gets here (src/domain/search.ts), so the tokenizer only has to split at spaces, drop
-- diacritics and take English endings off. rowid = skills.seq; `scope` holds one token per scope, all digits so that no
-- ending is taken off it, and keeps a query from answering with other tenants' skills.
CREATE VIRTUAL TABLE skill_search USING fts5(scope, name, description, tags, tokenize = 'porter unicode61 remove_diacritics 2');
