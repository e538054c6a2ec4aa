// A JSON text gone through without being parsed: strings and numbers may be replaced, every other character stays.

import { endOfString } from "../json";

const NUMBER = /-?[0-9][0-9.eE+-]*/g;
/** What stands between strings. */
const BETWEEN = /^[\s{}[\],:0-9.eE+\-a-z]*$/;

/**
 * The text with each string, key or not, and each number as these make it; a number becomes any JSON. What does not change stays as
 * it was written. `null` where the text is no JSON.
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
