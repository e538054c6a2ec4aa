// Takes secrets out of what leaves: results, errors, warnings, events, logs. Knows a value in the forms it travels in.

import { SECRET_LIMITS } from "../limits";
import { type Effort, READ_COST } from "./encodings";
import { mapJson } from "./json-text";
import { type NamedSecret, type SecretPatterns, type SecretSpan, secretPatternsOf, spansIn } from "./secret-patterns";

/** Replaces known secret values by `[secret NAME]`. Of a text that takes too long to read the rest is withheld. */
export interface Redactor {
  text(text: string): string;
  /** The same in every string, number and key of a JSON value. */
  json<T>(value: T): T;
  /**
   * The same in the strings and numbers of a JSON text, of which all else stays as it is written. `null` where any of it would be
   * withheld: half of a JSON text is none.
   */
  jsonText(text: string): string | null;
  /** Whether it knows any secret at all. */
  readonly isIdle: boolean;
}

/**
 * What reading a text may cost, for each of its characters and on top. The densest of honest texts, quotes in JSON in JSON in JSON,
 * cost 14 a character, and most less than four. More than this only takes what was made to take long.
 */
export const REDACTION_EFFORT = { perChar: 2 * READ_COST, onTop: 1_000_000 } as const;
/** Stands for the rest of a text that was not read: there may be a secret in it. */
const WITHHELD = "[removed: this text has too many escapes to be searched for secrets]";

const IDLE: Redactor = { text: (text) => text, json: (value) => value, jsonText: (text) => text, isIdle: true };

/** Shorter values are no secrets: taking them out would tear words apart (`SECRET_LIMITS`). */
export function makeRedactor(secrets: readonly NamedSecret[]): Redactor {
  const sought = secretPatternsOf(secrets);
  if (sought === null) return IDLE;
  return {
    text: (text) => shown(redactText(text, sought, { left: REDACTION_EFFORT.onTop })),
    json(value) {
      const effort = { left: REDACTION_EFFORT.onTop };
      return redactJson(value, (text) => shown(redactText(text, sought, effort)));
    },
    jsonText: (text) => redactJsonText(text, sought),
    isIdle: false,
  };
}

/**
 * A text without the secrets in it, as far as it was read. The effort grows by what the text may cost. What it has on top is for all
 * strings of a value: many short ones may not cost more than a long one.
 */
export function redactText(text: string, sought: SecretPatterns, effort: Effort): { read: string; isWhole: boolean } {
  effort.left = Math.max(effort.left, 0) + REDACTION_EFFORT.perChar * text.length;
  const { spans, unread } = spansIn(text, sought, effort);
  return { read: without(text.slice(0, unread), spans), isWhole: unread === text.length };
}

function shown({ read, isWhole }: ReturnType<typeof redactText>): string {
  return isWhole ? read : read + WITHHELD;
}

/** The text with the longest name in each of these places. They come in the order of their beginnings. */
function without(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text;
  const merged: (SecretSpan & { longest: number })[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    const longest = span.to - span.from;
    if (last === undefined || span.from >= last.to) merged.push({ ...span, longest });
    else {
      if (longest > last.longest) Object.assign(last, { name: span.name, longest });
      last.to = Math.max(last.to, span.to);
    }
  }
  let rest = "";
  let at = 0;
  for (const { from, to, name } of merged) {
    rest += `${text.slice(at, from)}[secret ${name}]`;
    at = to;
  }
  return rest + text.slice(at);
}

function redactJson<T>(value: T, text: (given: string) => string): T;
function redactJson(value: unknown, text: (given: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return redactNumber(String(value), text) ?? value;
  if (Array.isArray(value)) return value.map((one) => redactJson(one, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), redactJson(one, text)]));
}

/** A secret of digits may have become a number; `null` where it is none. */
function redactNumber(digits: string, text: (given: string) => string): string | null {
  if (digits.length < SECRET_LIMITS.minChars) return null;
  const redacted = text(digits);
  return redacted === digits ? null : redacted;
}

function redactJsonText(given: string, sought: SecretPatterns): string | null {
  const effort = { left: REDACTION_EFFORT.onTop };
  let areWhole = true;
  const text = (one: string) => {
    const { read, isWhole } = redactText(one, sought, effort);
    areWhole &&= isWhole;
    return read;
  };
  const number = (digits: string) => {
    const named = redactNumber(digits, text);
    return named === null ? digits : JSON.stringify(named);
  };
  const redacted = text(given);
  // Where nothing is escaped, each string stands there as it reads.
  const isPlain = redacted === given && !given.includes("\\");
  const mapped = isPlain || !areWhole ? given : mapJson(given, text, number);
  // What is no JSON, or a secret that reaches over several strings.
  const all = mapped === null || mapped === given ? redacted : text(mapped);
  return areWhole ? all : null;
}
