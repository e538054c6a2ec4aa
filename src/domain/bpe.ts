// Counts tokens exactly with byte pair encoding. Counts equal those of js-tiktoken with special tokens as plain text. That library is not
// used because its merge is quadratic (256 KiB of one letter takes hours) and its tables take 66 MB of an isolate's 128 MB; this
// implementation is O(n log n) and takes 14 MB.

/** An encoding: the expression that splits a text into pieces, and its tokens in rank order, one character per byte. */
export interface Ranks {
  pattern: string;
  tokens: readonly string[];
}

/** Returns the number of tokens of a text. */
export type Counter = (text: string) => number;

/** Creates the counter of an encoding. */
export function makeCounter({ pattern, tokens }: Ranks): Counter {
  const pieces = new RegExp(pattern, "gu");
  const ranks = new Map<string, number>();
  tokens.forEach((token, rank) => {
    ranks.set(token, rank);
  });
  const known = new Map<string, number>();
  const countPiece = (piece: string): number => {
    const bytes = byteString(piece);
    if (ranks.has(bytes)) return 1;
    const count = known.get(bytes) ?? countMerged(bytes, ranks);
    if (bytes.length <= KNOWN_BYTES) {
      if (known.size >= KNOWN_PIECES) known.clear();
      known.set(bytes, count);
    }
    return count;
  };
  return (text) => {
    let count = 0;
    for (const piece of text.match(pieces) ?? []) count += countPiece(piece);
    return count;
  };
}

/** Maximum number of cached counts for words that are not tokens themselves, about half a megabyte. */
const KNOWN_PIECES = 5_000;
const KNOWN_BYTES = 32;

const utf8 = new TextEncoder();

/** Returns UTF-8 with one character per byte, as in the rank keys. An unpaired surrogate counts as U+FFFD. */
function byteString(piece: string): string {
  if (/^\p{ASCII}*$/u.test(piece)) return piece;
  const bytes = utf8.encode(piece);
  let result = "";
  for (let at = 0; at < bytes.length; at += 4096) result += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return result;
}

/** Larger than the bytes of any text, so that `rank * SPAN + start` orders pairs by rank, then from left to right. */
const SPAN = 2 ** 26;
const NONE = -1;

/**
 * Byte pair encoding of one piece: starts with single bytes and repeatedly joins the two neighbours whose union has the lowest rank (the
 * leftmost of equals), until no union is a token. Parts are a linked list over their start offsets; a heap returns the next pair, and
 * outdated entries are skipped.
 */
function countMerged(bytes: string, ranks: ReadonlyMap<string, number>): number {
  const size = bytes.length;
  const next = new Int32Array(size + 1);
  const previous = new Int32Array(size + 1);
  /** Rank of the part that starts here joined with the next one. */
  const pairs = new Int32Array(size).fill(NONE);
  const heap: number[] = [];

  const rate = (start: number): void => {
    const middle = next[start] ?? size;
    const rank = middle < size ? ranks.get(bytes.slice(start, next[middle])) : undefined;
    pairs[start] = rank ?? NONE;
    if (rank !== undefined) push(heap, rank * SPAN + start);
  };

  let parts = size;
  for (let start = 0; start <= size; start++) {
    next[start] = start + 1;
    previous[start] = start - 1;
  }
  for (let start = 0; start < size; start++) rate(start);
  for (let key = pop(heap); key !== undefined; key = pop(heap)) {
    const start = key % SPAN;
    if (pairs[start] !== (key - start) / SPAN) continue;
    const joined = next[start] ?? size;
    const after = next[joined] ?? size;
    pairs[joined] = NONE;
    next[start] = after;
    previous[after] = start;
    parts--;
    rate(start);
    if (start > 0) rate(previous[start] ?? 0);
  }
  return parts;
}

/** Adds to a binary heap with the smallest number first. */
function push(heap: number[], value: number): void {
  let at = heap.length;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || above <= value) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = value;
}

/** Removes the smallest number from a binary heap. */
function pop(heap: number[]): number | undefined {
  const least = heap[0];
  const moved = heap.pop();
  if (moved === undefined || heap.length === 0) return least;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    let below = heap[child];
    const other = heap[child + 1];
    if (below === undefined) break;
    if (other !== undefined && other < below) {
      child++;
      below = other;
    }
    if (below >= moved) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = moved;
  return least;
}
