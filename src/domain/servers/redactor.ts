// Takes secrets out of what leaves: results, errors, warnings, events, logs. Knows a value in the forms it travels in.

import { encodeBase64 } from "../base64";
import { SECRET_LIMITS } from "../limits";
import { escapeStarts } from "./escape-starts";
import { mapJson } from "./json-text";
import { type Effort, follow, INTRODUCERS, isRead, readings } from "./spelling";

export interface NamedSecret {
  name: string;
  value: string;
}

/** Replaces known secret values by `[secret NAME]`. */
export interface Redactor {
  text(text: string): string;
  /** The same in every string, number and key of a JSON value. */
  json<T>(value: T): T;
  /** The same in the strings and numbers of a JSON text, of which all else stays as it is written. */
  jsonText(text: string): string;
  /** Whether it knows any secret at all. */
  readonly isIdle: boolean;
}

/** Where a secret is in a text. */
interface Span {
  from: number;
  to: number;
  name: string;
}

/** A way in which a secret is written, but for how its characters are spelt. */
interface Form {
  name: string;
  codes: readonly number[];
}

const IDLE: Redactor = { text: (text) => text, json: (value) => value, jsonText: (text) => text, isIdle: true };
/**
 * The effort that a text may cost, for each of its characters and at least. An honest text costs a tenth of it: only what may begin a
 * secret, and an escape that may mean its first character, is read at all.
 */
export const REDACTION_EFFORT = { perChar: 4, atLeast: 200_000 } as const;
/** Stands for the rest of a text of which the effort is used up: what was not read might hold a secret. */
const WITHHELD = "[withheld: too many escapes to check for secrets]";
/** The character for one that was read in a wrong encoding. */
const LOST = 0xfffd;

/** Shorter values are no secrets: taking them out would tear words apart (`SECRET_LIMITS`). */
export function makeRedactor(secrets: readonly NamedSecret[], spent: (effort: number) => void = () => {}): Redactor {
  const written = secrets.flatMap(({ name, value }) => formsOf(value).map((form) => ({ name, form })));
  if (written.length === 0) return IDLE;
  const forms = new Map<number, Form[]>();
  for (const { name, form } of written) {
    const codes = Array.from(form, (one) => one.codePointAt(0) ?? 0);
    const [first = 0] = codes;
    forms.set(first, [...(forms.get(first) ?? []), { name, codes }]);
  }
  const starts = escapeStarts(new Set(forms.keys()));
  const heads = new RegExp([...written.map(({ form }) => headOf(form)), starts].join("|"), "g");
  // The strings of one value share their effort, so that many short ones cost no more than a long one.
  const sharing = () => {
    const effort: Effort = { left: REDACTION_EFFORT.atLeast };
    return (text: string) => {
      effort.left = Math.max(effort.left, 0) + REDACTION_EFFORT.perChar * text.length;
      const { left } = effort;
      const read = redacted(text, forms, heads, effort);
      spent(left - effort.left);
      return read;
    };
  };
  return {
    text: (given) => sharing()(given),
    json: (value) => redactJson(value, sharing()),
    jsonText: (given) => redactJsonText(given, sharing()),
    isIdle: false,
  };
}

/** Where a form may begin: with its first two characters, or one that is followed by an escape. */
function headOf(form: string): string {
  const [first = "", second = ""] = Array.from(form, (char) => char.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return `${first}(?:${second}|[${INTRODUCERS}])`;
}

/**
 * The text without every place of every form, also where they overlap: of two secrets that share characters nothing may be left of
 * either. What was not read before the effort was used up is withheld.
 */
function redacted(text: string, forms: ReadonlyMap<number, readonly Form[]>, heads: RegExp, effort: Effort): string {
  const spans: Span[] = [];
  heads.lastIndex = 0;
  for (let head = heads.exec(text); head !== null; head = heads.exec(text)) {
    const from = head.index;
    effort.left--;
    for (const { name, codes } of beginning(text, from, forms, effort)) {
      const end = follow(text, from, codes, effort);
      if (end !== null) spans.push({ from, to: end, name });
    }
    if (effort.left < 0) return without(text.slice(0, from), spans) + WITHHELD;
    heads.lastIndex = from + 1;
  }
  return without(text, spans);
}

/** The forms of which the first character may be meant at a place. */
function beginning(text: string, at: number, forms: ReadonlyMap<number, readonly Form[]>, effort: Effort) {
  if (!isRead(text, at)) return forms.get(text.codePointAt(at) ?? 0) ?? [];
  const firsts = new Set(readings(text, at, effort).map(({ code }) => code));
  // Any character outside of ASCII may have been lost.
  return firsts.has(LOST) ? [...forms.values()].flat() : [...firsts].flatMap((code) => forms.get(code) ?? []);
}

/** The text with the longest name in each of these places. They come in the order of their beginnings. */
function without(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const merged: (Span & { longest: number })[] = [];
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

function redactJsonText(given: string, text: (given: string) => string): string {
  // Where nothing is escaped, each string stands there as it reads.
  if (!given.includes("\\") && text(given) === given) return given;
  const number = (digits: string) => {
    const named = redactNumber(digits, text);
    return named === null ? digits : JSON.stringify(named);
  };
  const mapped = mapJson(given, text, number);
  // What is no JSON, or a secret that reaches over several strings.
  if (mapped === null) return text(given);
  const whole = text(mapped);
  // JSON that was cut short is none.
  return whole.endsWith(WITHHELD) ? JSON.stringify(WITHHELD) : whole;
}

/** A value as it is, and inside base64 wherever it begins. How each character is spelt is for whoever looks for it. */
function formsOf(value: string): string[] {
  if (value === "") return [];
  const codes = Array.from(value, (char) => char.codePointAt(0) ?? 0);
  const isLatin = codes.some((code) => code > 127) && codes.every((code) => code < 256);
  const encodings = [new TextEncoder().encode(value), ...(isLatin ? [Uint8Array.from(codes)] : [])];
  return [value, ...encodings.flatMap((bytes) => [0, 1, 2].flatMap((shift) => base64Core(bytes, shift)))];
}

/** The characters of base64 that depend on these bytes alone when they begin at this place of a group of three. */
function base64Core(bytes: Uint8Array, shift: number): string[] {
  const padded = new Uint8Array(shift + bytes.length);
  padded.set(bytes, shift);
  const all = encodeBase64(padded).replace(/=+$/, "");
  const whole = Math.floor((padded.length * 8) / 6);
  const core = all.slice(Math.ceil((shift * 8) / 6), whole);
  // Too short to be told from chance.
  if (core.length < 8) return [];
  return /[+/]/.test(core) ? [core, core.replaceAll("+", "-").replaceAll("/", "_")] : [core];
}
