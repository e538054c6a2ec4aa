// Names that somebody may have meant who wrote one that is not there.

import { byCodePoint } from "./precedence";

/** How many are told. */
const TOLD = 3;
/** Longer than any name: what is written in place of a name may be anything. */
const NAME_CHARS = 80;

/** The names most like this one, best first: those that share a word with it, or differ by few letters. */
export function nearNames(name: string, names: readonly string[]): string[] {
  const wanted = plain(name.slice(0, NAME_CHARS));
  const words = wordsOf(wanted);
  return names
    .map((candidate) => ({ candidate, distance: distanceTo(wanted, words, plain(candidate)) }))
    .filter(({ distance }) => distance < FAR)
    .toSorted((a, b) => a.distance - b.distance || byCodePoint(a.candidate, b.candidate))
    .slice(0, TOLD)
    .map(({ candidate }) => candidate);
}

const FAR = 1;

/** From 0, the same but for case and punctuation, to `FAR`. */
function distanceTo(wanted: string, words: ReadonlySet<string>, candidate: string): number {
  const letters = edits(wanted, candidate) / Math.max(wanted.length, candidate.length, 1);
  const others = wordsOf(candidate);
  const shared = [...words].filter((word) => others.has(word)).length;
  const apart = shared === 0 ? FAR : 1 - shared / Math.max(words.size, others.size);
  // A third of the letters may be wrong; beyond that two names only look alike.
  return Math.min(letters > 1 / 3 ? FAR : letters, apart);
}

function plain(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Words of one letter make nothing alike. */
function wordsOf(name: string): Set<string> {
  return new Set(name.split(" ").filter((word) => word.length > 1));
}

/** How many letters have to be put in, taken out or changed (Levenshtein). */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
