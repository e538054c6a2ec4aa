// Runs beside the tests in the pool: drops the lines that workerd itself writes about connections that tests close on purpose. The
// plugin prints every line of workerd and has no setting for it. Lines that are not listed here are printed.

const EXPECTED = [
  // A peer went away: a socket that a test closed, or an upstream server that it made fail.
  /\bdisconnected: /,
  /^stack: \S*workerd@/,
  // A test sends such a header.
  /^A header value for "[^"]+" contains non-ASCII characters/,
];

export function setup(): () => void {
  const write = process.stderr.write;
  const filtered: typeof process.stderr.write = (text: string | Uint8Array, ...rest: unknown[]) =>
    typeof text === "string" && isExpected(text) ? true : Reflect.apply(write, process.stderr, [text, ...rest]);
  process.stderr.write = filtered;
  return () => {
    process.stderr.write = write;
  };
}

function isExpected(text: string): boolean {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.length > 0 && lines.every((line) => EXPECTED.some((pattern) => pattern.test(line)));
}
