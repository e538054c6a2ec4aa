// Splits a text into the terms of the search index. The index only splits at spaces, so texts in scripts without spaces are split here into
// characters and pairs, which match words of one and two characters.

/** Scripts whose words are not separated by spaces, or whose particles are attached to the word. */
const UNSPACED = "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}";

/** Words of a request that carry no topic. They would match unrelated skills. */
const COMMON = (
  "a about above after again all already also am an and any are aren as at be because been before being below between both but by " +
  "can cannot could couldn d did didn do does doesn doing don down during each every few for from further get gets had hadn has " +
  "hasn have haven having he help her here hers him his how i if in into is isn it its itself just let like ll m make me might more " +
  "most must my need needs no nor not now of off on once one only or other our ours out over own please re s same say should " +
  "shouldn so some such t tell than that the their theirs them then there these they this those through to too under until up us " +
  "use used uses using ve very want wants was wasn way we were weren what when where which while who why will with within without " +
  "won would wouldn you your yours"
).split(" ");
const COMMON_UNSPACED = (
  "一个 一下 一份 一些 一篇 一段 这个 这些 这份 这段 这篇 那个 那些 我的 我们 你的 你们 他们 帮我 帮忙 给我 我想 想要 需要 请问 麻烦 " +
  "怎么 怎样 如何 什么 为什么 哪些 哪个 可以 能不能 是否 应该 已经 现在 然后 以及 还是 或者 并且 如果 因为 所以 进行 使用"
).split(" ");

interface Patterns {
  word: RegExp;
  run: RegExp;
  isUnspaced: RegExp;
  common: Set<string>;
  commonUnspaced: RegExp;
}

/** Created on first use: compiling the script sets takes milliseconds, which every start of the Worker would pay. */
let made: Patterns | undefined;

function patterns(): Patterns {
  made ??= {
    word: /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu,
    run: new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, "gu"),
    isUnspaced: new RegExp(`^[${UNSPACED}]`, "u"),
    common: new Set(COMMON),
    commonUnspaced: new RegExp(COMMON_UNSPACED.toSorted((a, b) => b.length - a.length).join("|"), "gu"),
  };
  return made;
}

/** Characters outside of ASCII. Texts without them are split ten times as fast without Unicode properties. */
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Returns the words of a text in lower case, split where the kind of script changes. */
export function runsOf(text: string): string[] {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const words = text.normalize("NFKC").toLowerCase().match(patterns().word) ?? [];
  return words.flatMap((word) => word.match(patterns().run) ?? []);
}

/** Whether a run is in a script without spaces and must be split further. */
export function isUnspaced(run: string): boolean {
  return run.charCodeAt(0) >= 0x80 && patterns().isUnspaced.test(run);
}

/** Returns the runs that carry the topic of a text, or all if none do. */
export function significantRuns(runs: readonly string[]): string[] {
  const { common, commonUnspaced } = patterns();
  const relevant = runs.flatMap((run) => {
    if (!isUnspaced(run)) return common.has(run) ? [] : [run];
    return run.split(commonUnspaced).filter((part) => part !== "");
  });
  return relevant.length > 0 ? relevant : [...runs];
}

/** Returns the index terms of a run: the word itself, or its characters and pairs. */
export function indexTerms(run: string): string[] {
  return isUnspaced(run) ? [...run, ...pairsOf(run)] : [run];
}

/** Returns the query terms of a run: pairs instead of their characters, because they are more specific. */
export function queryTermsOfRun(run: string): string[] {
  if (!isUnspaced(run)) return [run];
  const pairs = pairsOf(run);
  return pairs.length > 0 ? pairs : [run];
}

function pairsOf(run: string): string[] {
  const all = [...run];
  return all.slice(1).map((character, index) => `${all[index]}${character}`);
}

/** English suffixes, longest first. At least three letters must remain. */
const ENDINGS = ["ations", "ation", "ings", "ing", "ers", "er", "ied", "ies", "ed", "es", "s", "e", "y"];

/** Returns the common stem of an English word's forms. Queries and texts are stemmed alike, so the stem need not be a word. */
export function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word) || word.endsWith("ss")) return word;
  const ending = ENDINGS.find((candidate) => word.endsWith(candidate) && word.length - candidate.length >= 3);
  const stem = ending === undefined ? word : word.slice(0, word.length - ending.length);
  // `planned` and `plan`.
  return /([bdgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}
