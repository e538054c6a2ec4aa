// Reads any SQLite database as rows: its tables (parents first), their content, and the SQL that restores it. D1's own export refuses a
// database with a full-text index. That index is derived, so it is left out and built again.

/** The full-text index, rebuilt from the rows by `reindex`. The names of FTS5's internal tables begin with its name. */
const SEARCH_TABLE = "skill_search";
/** The record of migrations is left out: the tool that applies them maintains it. */
const LEFT_OUT = /^(?:sqlite_|_cf_|d1_migrations$|skill_search)/;
/**
 * Conversations detect changes by these counters. A counter must never return to a value that a conversation has seen, so a restore
 * increases them.
 */
export const COUNTERS = "counters";
/** More than the changes during a backup, because a conversation is read after its counters. */
const RAISE = 1_000_000;

/** D1 limits a statement to 100 KB, so a longer value is written in pieces. One character takes at most six bytes of SQL. */
const WHOLE_CHARS = 500;
const PIECE_CHARS = 12_000;
/** The target size of the response to one query for rows, and the limit on its rows. */
const PAGE_BYTES = 1_000_000;
const PAGE_ROWS = 1_000;

/**
 * @typedef {(sql: string) => Promise<Record<string, unknown>[]>} Query
 * @typedef {{ name: string, columns: string[], key: string[], order?: string[] }} Table `key`: the columns that identify a row; `order`:
 * the columns to sort by, where a table has no rowid
 */

/** Returns the tables that contain data, each after those it refers to, with the columns that can be written. @param {Query} query */
export async function readTables(query) {
  const found = await query("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name");
  const withoutRowid = new Set(
    found.filter(({ sql }) => /\)\s*WITHOUT ROWID\s*$/i.test(String(sql))).map(({ name }) => name),
  );
  const names = found.map(({ name }) => String(name)).filter((name) => !LEFT_OUT.test(name));
  const parents = new Map();
  const tables = new Map();
  for (const name of names) {
    // Not `table_xinfo`, which also lists generated columns. Those cannot be written.
    const columns = await query(`PRAGMA table_info(${quoted(name)})`);
    const key = columns.filter(({ pk }) => Number(pk) > 0).map((column) => String(column.name));
    const order = withoutRowid.has(name) ? { order: key } : {};
    tables.set(name, { name, columns: columns.map((column) => String(column.name)), key, ...order });
    const references = await query(`PRAGMA foreign_key_list(${quoted(name)})`);
    parents.set(name, new Set(references.map((reference) => String(reference.table))));
  }
  /** @type {Table[]} */
  const sorted = [];
  const visit = (name) => {
    const table = tables.get(name);
    if (table === undefined || sorted.includes(table)) return;
    for (const parent of parents.get(name)) if (parent !== name) visit(parent);
    sorted.push(table);
  };
  for (const name of names) visit(name);
  return sorted;
}

/** Returns the names of the migrations that were applied to the database. @param {Query} query */
export async function readMigrations(query) {
  return (await query("SELECT name FROM d1_migrations ORDER BY name")).map(({ name }) => String(name));
}

/** Returns a value that changes with every change of skills, ghosts and groups. @param {Query} query */
export async function readMark(query) {
  return JSON.stringify(await query("SELECT count(*) AS scopes, sum(value) AS changes FROM counters"));
}

/** Yields the rows of a table in the order in which they were written, each as a line of JSON. */
export async function* readRows(query, { name, columns, order = ["rowid"] }) {
  const list = columns.map(quoted).join(", ");
  const places = order.map((column, n) => `${quoted(column)} AS "place ${n}"`).join(", ");
  const by = order.map(quoted).join(", ");
  let [after, limit] = ["", 20];
  for (;;) {
    const page = await query(`SELECT ${places}, ${list} FROM ${quoted(name)} ${after} ORDER BY ${by} LIMIT ${limit}`);
    let bytes = 0;
    for (const row of page) {
      const line = JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])));
      bytes += line.length;
      yield line;
    }
    if (page.length < limit) return;
    const last = order.map((_, n) => literal(page.at(-1)?.[`place ${n}`]));
    after = `WHERE (${by}) > (${last.join(", ")})`;
    limit = Math.max(1, Math.min(PAGE_ROWS, Math.floor((PAGE_BYTES * page.length) / bytes)));
  }
}

/** Whether the database contains data of users. @param {Query} query */
export async function holdsData(query) {
  const [row] = await query(
    "SELECT (SELECT count(*) FROM skills) + (SELECT count(*) FROM ghosts) + (SELECT count(*) FROM keys) + (SELECT count(*) FROM groups) + (SELECT count(*) FROM secrets) AS rows_of_users",
  );
  return Number(row?.rows_of_users) > 0;
}

/**
 * Returns SQL that empties the tables. Triggers protect the log from deletion: they are dropped, and `finishing` creates them again.
 * @param {Table[]} tables parents first
 * @param {{ name: string, sql: string }[]} triggers
 */
export function clearing(tables, triggers) {
  const emptied = tables.filter(({ name }) => name !== COUNTERS).reverse();
  return [
    ...triggers.map(({ name }) => `DROP TRIGGER ${quoted(name)}`),
    `DROP TABLE IF EXISTS ${SEARCH_TABLE}`,
    ...emptied.map(({ name }) => `DELETE FROM ${quoted(name)}`),
  ];
}

/** SQL that completes `clearing`: raises counters, so that every conversation reads the catalog again. */
export function finishing(triggers) {
  return [`UPDATE ${COUNTERS} SET value = value + ${RAISE}`, ...triggers.map(({ sql }) => sql)];
}

/** @param {Query} query */
export async function readTriggers(query) {
  const rows = await query("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name");
  return rows.map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
}

/**
 * Returns SQL that writes one row. No statement exceeds D1's limit.
 * @param {Table} table
 * @param {Record<string, unknown>} row
 */
export function inserting({ name, columns, key }, row) {
  const isLong = (column) =>
    typeof row[column] === "string" && row[column].length > WHOLE_CHARS && !key.includes(column);
  const values = columns.map((column) => (isLong(column) ? "''" : literal(row[column])));
  const onKnown = name === COUNTERS ? " ON CONFLICT (scope) DO UPDATE SET value = max(value, excluded.value)" : "";
  const insert = `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(", ")}) VALUES (${values.join(", ")})${onKnown}`;
  const where = key.map((column) => `${quoted(column)} = ${literal(row[column])}`).join(" AND ");
  const pieces = columns.filter(isLong).flatMap((column) =>
    piecesOf(row[column]).map((piece) => {
      const target = quoted(column);
      return `UPDATE ${quoted(name)} SET ${target} = ${target} || ${literal(piece)} WHERE ${where}`;
    }),
  );
  return [insert, ...pieces];
}

/** Splits a text without splitting a surrogate pair. */
function piecesOf(text) {
  const pieces = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE_CHARS, text.length);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1])) end--;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/**
 * Returns a value as an SQL literal. A text with a NUL or a carriage return is written as bytes, because SQL readers end or change the text
 * there.
 */
function literal(value) {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value !== "string")
    throw new Error(`a column has a value of type ${typeof value}, which backups do not support`);
  if (/[\0\r]/.test(value)) return `CAST(X'${Buffer.from(value).toString("hex")}' AS TEXT)`;
  return `'${value.replaceAll("'", "''")}'`;
}

function quoted(name) {
  return `"${name.replaceAll('"', '""')}"`;
}
