// Captures what the gateway logs while a test runs. A line that the test declares and that is not logged fails the test.

interface Line {
  level: (typeof LEVELS)[number];
  text: string;
}

const LEVELS = ["debug", "log", "info", "warn", "error"] as const;

let lines: Line[] = [];
const expectedNow = new Set<string | RegExp>();

const captured = new WeakSet<Console>();

/** Records console output. It is still printed, because the reporter shows it for failed tests. */
export function captureLogs(): void {
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

/** Returns the lines that the running test has logged so far, oldest first. */
export function logged(what: string | RegExp): string[] {
  return lines.filter(({ text }) => matches(text, what)).map(({ text }) => text);
}

/** Starts a new test. */
export function beginLogs(): void {
  lines = [];
  expectedNow.clear();
}

/** Fails the test for each expected line that was not logged. */
export function checkLogs(): void {
  const missing = [...expectedNow]
    .filter((what) => logged(what).length === 0)
    .map((what) => `Expected in the log, and not logged: ${what}`);
  if (missing.length > 0) throw new Error(missing.join("\n"));
}

function matches(text: string, what: string | RegExp): boolean {
  return typeof what === "string" ? text.includes(`"event":"${what}"`) : what.test(text);
}

function inspect(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return value.stack ?? value.message;
  return JSON.stringify(value) ?? String(value);
}
