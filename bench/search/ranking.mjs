// Ranks a catalog offline, as the index of the gateway does: the same texts and terms, FTS5's tokenizer, and its bm25 with any weights.

import { DatabaseSync } from "node:sqlite";

const COLUMNS = ["name", "description", "tags", "examples", "body"];
const TOKENIZE = "tokenize = 'porter unicode61 remove_diacritics 2'";
/** Constants of FTS5's bm25. */
const [K1, B] = [1.2, 0.75];
/** FTS5's weight of a term that occurs in more than half of the rows. */
const COMMON_IDF = 1e-6;

/**
 * An index of some skills.
 * @param {{ name: string, columns: Record<string, string> }[]} skills
 */
export function indexOf(skills) {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(${COLUMNS.join()}, ${TOKENIZE})`);
  db.exec("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')");
  const insert = db.prepare(`INSERT INTO t(rowid, ${COLUMNS.join()}) VALUES (?, ?, ?, ?, ?, ?)`);
  db.exec("BEGIN");
  for (const [row, { columns }] of skills.entries()) insert.run(row, ...COLUMNS.map((column) => columns[column]));
  db.exec("COMMIT");
  const postings = new Map();
  const lengths = new Float64Array(skills.length);
  const counts = "SELECT term, doc, col, count(*) AS n FROM v GROUP BY term, doc, col";
  for (const { term, doc, col, n } of db.prepare(counts).iterate()) {
    if (!postings.has(term)) postings.set(term, new Map());
    const rows = postings.get(term);
    if (!rows.has(doc)) rows.set(doc, new Float64Array(COLUMNS.length));
    rows.get(doc)[COLUMNS.indexOf(col)] = n;
    lengths[doc] += n;
  }
  db.close();
  const mean = lengths.reduce((sum, length) => sum + length, 0) / skills.length;
  return { postings, lengths, mean, places: new Map(skills.map(({ name }, row) => [name, row])) };
}

/** The terms of queries as the tokenizer stems them. */
export function stemmed(queries) {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(text, ${TOKENIZE})`);
  db.exec("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')");
  const insert = db.prepare("INSERT INTO t(rowid, text) VALUES (?, ?)");
  for (const [row, terms] of queries.entries()) insert.run(row, terms.join(" "));
  const found = queries.map(() => []);
  for (const { term, doc } of db.prepare("SELECT term, doc FROM v ORDER BY doc, offset").iterate())
    found[doc].push(term);
  db.close();
  return found;
}

/**
 * Returns the matches of a query in an index, term by term, so that they can be ranked with many weights.
 * @param {number} rows as `SEARCH_LIMITS.rows`: the rarest terms count, as long as no more rows than this contain them
 */
export function foundBy({ postings, lengths, mean, places }, terms, rows) {
  const known = terms.flatMap((term, place) => (postings.has(term) ? [{ place, found: postings.get(term) }] : []));
  known.sort((a, b) => a.found.size - b.found.size || a.place - b.place);
  const hits = [];
  let sum = 0;
  for (const { found } of known) {
    sum += found.size;
    if (sum > rows && sum !== found.size) continue;
    const idf = Math.max(COMMON_IDF, Math.log((lengths.length - found.size + 0.5) / (found.size + 0.5)));
    for (const [row, counts] of found)
      hits.push({ row, counts, worth: idf * (K1 + 1), norm: K1 * (1 - B + (B * lengths[row]) / mean) });
  }
  return { hits, places, scores: new Float64Array(lengths.length) };
}

/** The place of a skill among all that a query finds; `Infinity` where it is not found. */
export function placeOf({ hits, places, scores }, skill, weights) {
  const [name, description, tags, examples, body] = weights;
  scores.fill(0);
  for (const { row, counts, worth, norm } of hits) {
    const frequency =
      name * counts[0] + description * counts[1] + tags * counts[2] + examples * counts[3] + body * counts[4];
    scores[row] += (worth * frequency) / (frequency + norm);
  }
  const own = places.get(skill);
  const score = scores[own];
  if (score === 0) return Number.POSITIVE_INFINITY;
  let place = 1;
  for (let row = 0; row < scores.length; row++)
    if (scores[row] > score || (scores[row] === score && row < own)) place++;
  return place;
}
