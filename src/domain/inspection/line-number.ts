// Line numbers of places in a text.

/** Answers the line, from 1, of each place that it is asked for. Places come in ascending order, so the text is gone through once. */
export function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (at) => {
    for (; next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++;
    return line;
  };
}
