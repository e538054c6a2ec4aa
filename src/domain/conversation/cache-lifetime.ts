// How long providers keep a prompt's beginning in their cache, by model. A model that is not here is never taken for cold.

/** A row of the table. Facts change: `checked` says when somebody last looked at the source. */
interface CachePrice {
  /** The beginning of the model's name, after any `provider/`. The longest that fits counts. */
  match: string;
  /** Seconds since the last call after which nothing of it is kept any more. */
  ttlSeconds: number;
  source: string;
  checked: string;
}

const ANTHROPIC = { source: "platform.claude.com/docs: prompt caching", checked: "2026-11-21" };
const OPENAI = { source: "platform.openai.com/docs: prompt caching", checked: "2026-11-21" };

const TABLE: readonly CachePrice[] = [
  { match: "claude-", ttlSeconds: 5 * 60, ...ANTHROPIC },
  { match: "gpt-5.6", ttlSeconds: 30 * 60, ...OPENAI },
  { match: "gpt-5", ttlSeconds: 24 * 60 * 60, ...OPENAI },
];

/** How long after its last call a model's cache is cold; `null` for a model that the table does not know. */
export function cacheLifetime(model: string): number | null {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const rows = TABLE.filter(({ match }) => name.startsWith(match));
  const row = rows.toSorted((a, b) => b.match.length - a.match.length)[0];
  return row === undefined ? null : row.ttlSeconds * 1_000;
}
