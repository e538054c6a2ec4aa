// Text for the search index, and queries against it. The index only splits at spaces, so words of scripts that are written
// without spaces are cut here: into single characters and pairs, which find one- and two-character words.

/** Scripts whose words are not separated by spaces, or whose particles stick to the word. */
const UNSPACED = "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}";

interface Patterns {
  word: RegExp;
  run: RegExp;
  isUnspaced: RegExp;
}

/** Made when first used: sets of scripts take milliseconds to make, and every start of the Worker would pay for them. */
let made: Patterns | undefined;

function patterns(): Patterns {
  made ??= {
    word: /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu,
    run: new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, "gu"),
    isUnspaced: new RegExp(`^[${UNSPACED}]`, "u"),
  };
  return made;
}

/** A word shorter than this is looked up as it is; a longer one may also be the beginning of a word. */
const PREFIX_FROM = 3;
const QUERY_CHARS = 1_000;
const QUERY_TERMS = 32;

/** English words that nearly every description contains: they would only bring in what has nothing else in common. */
const COMMON = new Set(
  "a an and are as at be by can for from how i in is it me my of on or please that the this to use using want what when with you your".split(
    " ",
  ),
);

/** The text as the index takes it: its terms, separated by spaces. */
export function indexText(...texts: readonly string[]): string {
  return texts
    .flatMap(runs)
    .flatMap((run) => (patterns().isUnspaced.test(run) ? [...characters(run), ...pairs(run)] : [run]))
    .join(" ");
}

/**
 * The query as an expression of FTS5 over `columns`, limited to `scopes`; `null` when it has no word in it. Whatever the
 * query is, it becomes quoted terms only. A skill that has more of the terms ranks higher; it needs one of them.
 */
export function searchExpression(scopes: readonly string[], columns: readonly string[], query: string): string | null {
  const terms = queryTerms(query);
  if (terms.length === 0 || scopes.length === 0) return null;
  const among = scopes.map((scope) => `"${scopeToken(scope)}"`).join(" OR ");
  return `{scope} : (${among}) AND {${columns.join(" ")}} : (${terms.join(" OR ")})`;
}

/**
 * A scope as one term of the index: its UTF-8 bytes in digits of fixed width, so that no two scopes share one and neither
 * splitting nor stemming changes it.
 */
export function scopeToken(scope: string): string {
  return Array.from(new TextEncoder().encode(scope), (byte) => byte.toString().padStart(3, "0")).join("");
}

function queryTerms(query: string): string[] {
  const all = runs(query.slice(0, QUERY_CHARS));
  const telling = all.filter((run) => !COMMON.has(run));
  const terms = (telling.length > 0 ? telling : all).flatMap((run) => {
    if (!patterns().isUnspaced.test(run)) return [run.length < PREFIX_FROM ? `"${run}"` : `"${run}"*`];
    const cut = pairs(run);
    return (cut.length > 0 ? cut : [run]).map((term) => `"${term}"`);
  });
  return [...new Set(terms)].slice(0, QUERY_TERMS);
}

/** The words of a text in lower case, cut where the kind of script changes. */
function runs(text: string): string[] {
  const words = text.normalize("NFKC").toLowerCase().match(patterns().word) ?? [];
  return words.flatMap((word) => word.match(patterns().run) ?? []);
}

function characters(run: string): string[] {
  return [...run];
}

function pairs(run: string): string[] {
  const all = characters(run);
  return all.slice(1).map((character, index) => `${all[index]}${character}`);
}
