// The order in which lists are: SQLite's, so that a page made here goes on where one made there ended.

/** SQLite orders text by its UTF-8, which is the order of code points; UTF-16 units would differ beyond U+FFFF. */
export function compareCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [index, character] of left.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
