// The tables of a conversation's SQLite. Each is created with its first row: creating one is billed as two row writes, and most
// conversations have no question, no ticket and no MCP server. The values of every conversation are in `meta`.

/** The statement that creates each. A conversation of an earlier gateway may have other column orders and more indexes. */
const TABLES = {
  meta: "(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  events: "(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT NOT NULL)",
  /** Derived from the log: its folded state at some events. */
  snapshots: "(seq INTEGER PRIMARY KEY, shape INTEGER NOT NULL, state TEXT NOT NULL)",
  /** Derived from the log: the start of each pass over a turn. */
  passes: "(seq INTEGER PRIMARY KEY, turn INTEGER NOT NULL)",
  answers: "(key TEXT PRIMARY KEY, at INTEGER NOT NULL, request TEXT NOT NULL, answer TEXT) WITHOUT ROWID",
  /** Long columns are last, so that a search for a state does not read past them. */
  requests: `(seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, skill_name TEXT, action TEXT NOT NULL,
    timeout_ms INTEGER NOT NULL, created INTEGER NOT NULL, deadline INTEGER NOT NULL, attempt INTEGER NOT NULL, ended INTEGER,
    note TEXT, payload TEXT NOT NULL, answer TEXT)`,
  /** The JSON schema of the answer, for requests that declare one. */
  answer_schemas: "(id TEXT PRIMARY KEY, schema TEXT NOT NULL) WITHOUT ROWID",
  /** The requester, for requests that do not come from a skill or the back end. */
  askers: "(id TEXT PRIMARY KEY, asker TEXT NOT NULL) WITHOUT ROWID",
  /** The state of MCP tool calls that wait for an answer. */
  rounds: "(call TEXT PRIMARY KEY, turn INTEGER NOT NULL, request TEXT NOT NULL, round TEXT NOT NULL) WITHOUT ROWID",
  /** The last number of a notice. It starts at the creation time of the conversation, so numbers keep rising if the id is used again. */
  sequence: "(one INTEGER PRIMARY KEY CHECK (one = 1), value INTEGER NOT NULL)",
  /** Feedback on turns, with the skills that were active in each. */
  feedback:
    "(turn INTEGER PRIMARY KEY, at INTEGER NOT NULL, score INTEGER NOT NULL, comment TEXT, skills TEXT NOT NULL)",
  tickets: "(hash TEXT PRIMARY KEY, expires INTEGER NOT NULL, holder TEXT NOT NULL) WITHOUT ROWID",
  upstreams: "(key TEXT PRIMARY KEY, used INTEGER NOT NULL, state TEXT NOT NULL) WITHOUT ROWID",
  /** What the chat endpoint stores: its answers as a tree, the requests that produced them, and the messages of each. */
  chat_nodes: `(chain TEXT PRIMARY KEY, parent TEXT NOT NULL, digest TEXT NOT NULL, exchange TEXT NOT NULL, format TEXT NOT NULL,
    model TEXT NOT NULL, turn INTEGER NOT NULL, at INTEGER NOT NULL)`,
  chat_exchanges: `(id TEXT PRIMARY KEY, parent TEXT NOT NULL, branch TEXT NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL, lease INTEGER NOT NULL,
    format TEXT NOT NULL, model TEXT NOT NULL, turn INTEGER NOT NULL)`,
  chat_messages: `(exchange TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (exchange, seq, part)) WITHOUT ROWID`,
} as const;

export type Table = keyof typeof TABLES;

/** Values that earlier gateways stored in separate tables and that are now in `meta`. Existing tables are still read. */
type Earlier = "calls" | "texts" | "turn_keys";

export class Tables {
  readonly #sql: SqlStorage;
  /** The tables that exist, as far as checked. */
  readonly #there = new Set<string>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  has(table: Table | Earlier): boolean {
    if (this.#there.has(table)) return true;
    const found = this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table).toArray();
    if (found.length > 0) this.#there.add(table);
    return found.length > 0;
  }

  /** Creates a table if it does not exist, before a row is written. */
  make(table: Table): void {
    if (this.has(table)) return;
    this.#sql.exec(`CREATE TABLE ${table} ${TABLES[table]}`);
    this.#there.add(table);
  }

  /** Clears the cached state, for example after a rollback. */
  forget(): void {
    this.#there.clear();
  }
}
