// Suggests similar names for a name that does not exist.

import { byCodePoint } from "./precedence";

/** Number of suggestions. */
const TOLD = 3;
/** Longer than any name, because the input can be any text. */
const NAME_CHARS = 80;

/** Returns the most similar names, best first: those that share a word, or differ in few letters. */
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

/** Returns a distance from 0 (equal except for case and punctuation) to `FAR`. */
function distanceTo(wanted: string, words: ReadonlySet<string>, candidate: string): number {
  const letters = edits(wanted, candidate) / Math.max(wanted.length, candidate.length, 1);
  const others = wordsOf(candidate);
  const shared = [...words].filter((word) => others.has(word)).length;
  const apart = shared === 0 ? FAR : 1 - shared / Math.max(words.size, others.size);
  // Up to a third of the letters may differ.
  return Math.min(letters > 1 / 3 ? FAR : letters, apart);
}

function plain(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Words of one letter are ignored. */
function wordsOf(name: string): Set<string> {
  return new Set(name.split(" ").filter((word) => word.length > 1));
}

/** Returns the Levenshtein distance. */
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
