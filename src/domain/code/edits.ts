// Collects changes to a source text by their positions in the original, and applies them together.

/** The text from `start` to `end` (exclusive) is replaced by `text`. An insertion has `start === end`. */
export type Edit = [start: number, end: number, text: string];

/** Applies edits that do not overlap. Edits at the same position are applied in the order of the list. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [start, end, text] of edits.toSorted((a, b) => a[0] - b[0])) {
    parts.push(source.slice(at, start), text);
    at = end;
  }
  return parts.join("") + source.slice(at);
}
