// Line numbers of places in a text.

/** Returns a function that returns the line (from 1) of a position. Positions must ascend, so the text is read once. */
export function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (at) => {
    for (; next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++;
    return line;
  };
}
