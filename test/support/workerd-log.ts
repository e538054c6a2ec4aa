// Runs beside the tests in the pool: drops the lines that workerd itself writes about connections that tests close on purpose. The
// plugin prints every line of workerd and has no setting for it. Lines that are not listed here are printed.

const EXPECTED = [
  // A peer went away: a socket that a test closed, or an upstream server that it made fail. A body that fails while it is read.
  /\bdisconnected: /,
  /^stack: \S*workerd@/,
  /^uncaught exception; .*(Network connection lost|UpstreamFault)/,
  // An alarm on a busy machine.
  /^NOSENTRY SQLite alarm overdue/,
  // An upstream server whose name does not resolve.
  /failed to lookup address information/,
  // Tests send such a header, and read such a body as text.
  /^A header value for "[^"]+" contains non-ASCII characters/,
  /^console warning; message = Called \.text\(\) on an HTTP body which does not appear to be text/,
];

export function setup(): () => void {
  const restore = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write;
    const filtered: typeof stream.write = (text: string | Uint8Array, ...rest: unknown[]) =>
      typeof text === "string" && isExpected(text) ? true : Reflect.apply(write, stream, [text, ...rest]);
    stream.write = filtered;
    return () => {
      stream.write = write;
    };
  });
  return () => {
    for (const undo of restore) undo();
  };
}

/** Whether a message of workerd is expected. Its first line says what it is, and a stack may follow. */
function isExpected(text: string): boolean {
  const [first = ""] = text.split("\n");
  return EXPECTED.some((pattern) => pattern.test(first));
}
