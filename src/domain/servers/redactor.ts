// Takes secrets out of what leaves: results, errors, warnings, events, logs. Knows a value in the forms it travels in.

import { encodeBase64 } from "../base64";
import { SECRET_LIMITS } from "../limits";
import { mapJson } from "./json-text";
import { follow, INTRODUCERS, readings } from "./spelling";

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
/** How many steps a text may be looked at closely, for each character of it. Honest ones need less than one. */
const EFFORT = 2;
const EFFORT_AT_LEAST = 50_000;
/** What agrees with a secret for so long is taken for it once the effort is spent. */
const CERTAIN = 8;
/** The character for one that was read in a wrong encoding. */
const LOST = 0xfffd;

/** Shorter values are no secrets: taking them out would tear words apart (`SECRET_LIMITS`). */
export function makeRedactor(secrets: readonly NamedSecret[]): Redactor {
  const written = secrets.flatMap(({ name, value }) => formsOf(value).map((form) => ({ name, form })));
  if (written.length === 0) return IDLE;
  const forms = written.map(({ name, form }) => ({ name, codes: Array.from(form, (one) => one.codePointAt(0) ?? 0) }));
  const heads = new RegExp([...written.map(({ form }) => headOf(form)), `[${INTRODUCERS}]`].join("|"), "g");
  return fromText((text) => without(text, spansIn(text, forms, heads)));
}

function fromText(text: (given: string) => string): Redactor {
  return {
    text,
    json: (value) => redactJson(value, text),
    jsonText: (given) => redactJsonText(given, text),
    isIdle: false,
  };
}

/** Where a form may begin: with its first two characters, or one that is followed by an escape. */
function headOf(form: string): string {
  const [first = "", second = ""] = Array.from(form, (char) => char.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return `${first}(?:${second}|[${INTRODUCERS}])`;
}

/**
 * Every place of every form, also where they overlap: of two secrets that share characters nothing may be left of either. In a text
 * that is made to take long, what agrees for a while is taken for the whole, and gone on after it.
 */
function spansIn(text: string, forms: readonly Form[], heads: RegExp): Span[] {
  const spans: Span[] = [];
  const effort = { left: EFFORT * (text.length + EFFORT_AT_LEAST) };
  heads.lastIndex = 0;
  for (let head = heads.exec(text); head !== null; head = heads.exec(text)) {
    const from = head.index;
    let next = from + 1;
    const first = readings(text, from);
    for (const { name, codes } of forms) {
      if (!first.some(({ code }) => code === codes[0] || code === LOST)) continue;
      const { isWhole, agreed, end } = follow(text, from, codes, effort);
      const isSpent = effort.left < 0;
      if (!isWhole && !(isSpent && agreed >= CERTAIN)) continue;
      spans.push({ from, to: end, name });
      if (isSpent) next = Math.max(next, end);
    }
    heads.lastIndex = next;
  }
  return spans;
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
  const redacted = text(given);
  // Where nothing is escaped, each string stands there as it reads.
  if (redacted === given && !given.includes("\\")) return given;
  const number = (digits: string) => {
    const named = redactNumber(digits, text);
    return named === null ? digits : JSON.stringify(named);
  };
  const mapped = mapJson(given, text, number);
  // What is no JSON, or a secret that reaches over several strings.
  return mapped === null ? redacted : text(mapped);
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
