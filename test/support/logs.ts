// Captures what the gateway logs while a test runs. A warning or an error that the test does not expect fails the test.

interface Line {
  level: (typeof LEVELS)[number];
  text: string;
}

const LEVELS = ["debug", "log", "info", "warn", "error"] as const;

let lines: Line[] = [];
const expectedNow = new Set<string | RegExp>();
const allowedNow = new Set<string | RegExp>();
/** Lines that earlier tests of the file expected or permitted. Work of a request can log after its test has ended. */
const expectedInFile = new Set<string | RegExp>();

const captured = new WeakSet<Console>();

/** Records console output. It is still printed, because the reporter shows it for failed tests. */
export function captureLogs(): void {
  expectedInFile.clear();
  if (captured.has(console)) return;
  captured.add(console);
  for (const level of LEVELS) {
    const print = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      lines.push({ level, text: values.map(inspect).join(" ") });
      print(...values);
    };
  }
}

/**
 * Declares that the running test logs this at least once, before or after the call.
 *
 * @param what the `event` of a structured line, or a pattern of a line
 */
export function expectLog(what: string | RegExp): void {
  expectedNow.add(what);
}

/** Permits the running test to log this. Use it in a `beforeEach` if not every test of the file logs it. */
export function allowLog(what: string | RegExp): void {
  allowedNow.add(what);
}

/** Returns the lines that the running test has logged so far, oldest first. */
export function logged(what: string | RegExp): string[] {
  return lines.filter(({ text }) => matches(text, what)).map(({ text }) => text);
}

/** Starts a new test. */
export function beginLogs(): void {
  lines = [];
  expectedNow.clear();
  allowedNow.clear();
}

/** Fails the test for each unexpected warning or error, and for each expected line that was not logged. */
export function checkLogs(): void {
  const allowed = [...expectedNow, ...allowedNow, ...expectedInFile];
  const unexpected = lines
    .filter(({ level }) => level === "warn" || level === "error")
    .filter(({ text }) => !allowed.some((what) => matches(text, what)))
    .map(({ level, text }) => `Unexpected ${level} in the log. Call expectLog(…) if the test is about it: ${text}`);
  const missing = [...expectedNow]
    .filter((what) => logged(what).length === 0)
    .map((what) => `Expected in the log, and not logged: ${what}`);
  for (const what of [...expectedNow, ...allowedNow]) expectedInFile.add(what);
  if (unexpected.length + missing.length > 0) throw new Error([...unexpected, ...missing].join("\n"));
}

function matches(text: string, what: string | RegExp): boolean {
  return typeof what === "string" ? text.includes(`"event":"${what}"`) : what.test(text);
}

function inspect(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return value.stack ?? value.message;
  return JSON.stringify(value) ?? String(value);
}
