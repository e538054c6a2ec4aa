// Replaces strings and numbers in a JSON text without parsing it. All other characters stay.

import { endOfString } from "../json";

const NUMBER = /-?[0-9][0-9.eE+-]*/g;
/** Characters between strings. */
const BETWEEN = /^[\s{}[\],:0-9.eE+\-a-z]*$/;

/**
 * Returns the text with each string (including keys) and number replaced by these functions. Unchanged ones stay as written. Returns `null`
 * if the text is not JSON.
 */
export function mapJson(
  text: string,
  string: (value: string) => string,
  number: (digits: string) => string,
): string | null {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const open = text.indexOf('"', at);
    const between = open < 0 ? text.slice(at) : text.slice(at, open);
    if (!BETWEEN.test(between)) return null;
    parts.push(between.replace(NUMBER, number));
    if (open < 0) return parts.join("");
    at = endOfString(text, open + 1) + 1;
    const written = text.slice(open, at);
    const value = stringIn(written);
    if (value === null) return null;
    const changed = string(value);
    parts.push(changed === value ? written : JSON.stringify(changed));
  }
}

function stringIn(written: string): string | null {
  if (!written.includes("\\")) return written.length > 1 && written.endsWith('"') ? written.slice(1, -1) : null;
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}
