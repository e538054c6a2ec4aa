// Changes to a source text, collected by position in the original and applied at once.

/** What stands from `start` to `end` (exclusive) becomes `text`; an insertion has `start === end`. */
export type Edit = [start: number, end: number, text: string];

/** Applies edits that do not overlap. Those at one place keep the order in which they were collected. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [start, end, text] of edits.toSorted((a, b) => a[0] - b[0])) {
    parts.push(source.slice(at, start), text);
    at = end;
  }
  return parts.join("") + source.slice(at);
}
