// Filters workerd's log: drops its lines about connections that tests close on purpose. The pool's plugin prints every line and has no
// setting for it. Lines that are not listed here are printed.

const EXPECTED = [
  // The peer disconnected: a socket that a test closed, an upstream server that it made fail, or a body that failed while it was read.
  /\bdisconnected: /,
  /^stack: \S*workerd@/,
  /^uncaught exception; .*(Network connection lost|UpstreamFault)/,
  // Storage, a compiler or an isolate that a test made fail. The caller receives the failure, and its test checks what follows.
  /^uncaught exception; .*(no storage|Storage did not respond|Error: dead|It is gone already|Application called abortAllDurableObjects)/,
  /^uncaught exception; .*Failed query: insert into "usage"/,
  // A request that is still running in a conversation whose storage a test deleted.
  /^uncaught exception; .*no such table: events/,
  // What another process of workerd reports of an error that it does not describe.
  /^uncaught exception; .*internal error; reference = /,
  // A delayed alarm on a busy machine.
  /^NOSENTRY SQLite alarm overdue/,
  // An upstream server with a hostname that does not resolve.
  /failed to lookup address information/,
  // Tests send such a header and read such a body as text.
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

/** Whether a message of workerd is expected. Its first line identifies it. A stack can follow. */
function isExpected(text: string): boolean {
  const [first = ""] = text.split("\n");
  return EXPECTED.some((pattern) => pattern.test(first));
}
