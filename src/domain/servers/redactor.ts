// Removes secrets from results, errors, warnings, events and logs, in every encoding in which they may occur.

import { SECRET_LIMITS } from "../limits";
import { type Effort, READ_COST } from "./encodings";
import { mapJson } from "./json-text";
import { type NamedSecret, type SecretPatterns, type SecretSpan, secretPatternsOf, spansIn } from "./secret-patterns";

/** Replaces known secret values by `[secret NAME]`. If a text is too expensive to search, the rest is removed. */
export interface Redactor {
  text(text: string): string;
  /** Redacts every string, number and key of a JSON value. */
  json<T>(value: T): T;
  /**
   * Redacts the strings and numbers of a JSON text; everything else stays as written. Returns `null` if a part would be removed, because
   * half of a JSON text is invalid.
   */
  jsonText(text: string): string | null;
  /** Whether it has no secrets. */
  readonly isIdle: boolean;
}

/**
 * Budget for searching a text, per character and in addition. The most expensive realistic text (quotes in JSON in JSON in JSON) costs 14
 * per character, most cost less than four. Only texts made to be expensive exceed it.
 */
export const REDACTION_EFFORT = { perChar: 2 * READ_COST, onTop: 1_000_000 } as const;
/** Replaces the rest of a text that was not searched, because it may contain a secret. */
const WITHHELD = "[removed: this text has too many escapes to be searched for secrets]";

const IDLE: Redactor = { text: (text) => text, json: (value) => value, jsonText: (text) => text, isIdle: true };

/** Shorter values are not secrets: removing them would break ordinary words (`SECRET_LIMITS`). */
export function makeRedactor(secrets: readonly NamedSecret[]): Redactor {
  const patterns = secretPatternsOf(secrets);
  if (patterns === null) return IDLE;
  return {
    text: (text) => shown(redactText(text, patterns, { left: REDACTION_EFFORT.onTop })),
    json(value) {
      const effort = { left: REDACTION_EFFORT.onTop };
      return redactJson(value, (text) => shown(redactText(text, patterns, effort)));
    },
    jsonText: (text) => redactJsonText(text, patterns),
    isIdle: false,
  };
}

/** Returns a redactor that applies both. */
export function bothRedactors(first: Redactor, second: Redactor): Redactor {
  if (first.isIdle) return second;
  return {
    text: (text) => second.text(first.text(text)),
    json: (value) => second.json(first.json(value)),
    jsonText(text) {
      const redacted = first.jsonText(text);
      return redacted === null ? null : second.jsonText(redacted);
    },
    isIdle: false,
  };
}

/**
 * Returns a text without secrets, up to the position where the budget ended. The budget per character is added; the additional budget is
 * shared by all strings of a value, so that many short strings cost no more than a long one.
 */
export function redactText(text: string, patterns: SecretPatterns, effort: Effort): { read: string; isWhole: boolean } {
  effort.left = Math.max(effort.left, 0) + REDACTION_EFFORT.perChar * text.length;
  const { spans, unread } = spansIn(text, patterns, effort);
  return { read: without(text.slice(0, unread), spans), isWhole: unread === text.length };
}

function shown({ read, isWhole }: ReturnType<typeof redactText>): string {
  return isWhole ? read : read + WITHHELD;
}

/** Returns the text with overlapping matches merged and replaced by the name of the longest. Matches are ordered by their start. */
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

/** Redacts a secret of digits that became a number; `null` if it is not one. */
function redactNumber(digits: string, text: (given: string) => string): string | null {
  if (digits.length < SECRET_LIMITS.minChars) return null;
  const redacted = text(digits);
  return redacted === digits ? null : redacted;
}

function redactJsonText(given: string, patterns: SecretPatterns): string | null {
  const effort = { left: REDACTION_EFFORT.onTop };
  let areWhole = true;
  const text = (one: string) => {
    const { read, isWhole } = redactText(one, patterns, effort);
    areWhole &&= isWhole;
    return read;
  };
  const number = (digits: string) => {
    const named = redactNumber(digits, text);
    return named === null ? digits : JSON.stringify(named);
  };
  const redacted = text(given);
  // Without escapes, each string is written as it reads.
  const isPlain = redacted === given && !given.includes("\\");
  const mapped = isPlain || !areWhole ? given : mapJson(given, text, number);
  // Not JSON, or a secret that spans several strings.
  const all = mapped === null || mapped === given ? redacted : text(mapped);
  return areWhole ? all : null;
}
