// Finds secret values in text, in every encoding that an upstream may use, with a limited effort.

import { encodeBase64 } from "../base64";
import { type Effort, ESCAPE_STARTERS, type Reading, readings, spendEffort, startsEscape } from "./encodings";

export interface NamedSecret {
  name: string;
  value: string;
}

/** A form in which a secret can be written, independent of the encoding of its characters. */
interface Form {
  name: string;
  codes: readonly number[];
  /** Number of first characters that cannot start an escape. */
  plain: number;
}

/** All search patterns. */
export interface SecretPatterns {
  /** Matches where any of them may begin. */
  heads: RegExp;
  /** Patterns by first character. */
  forms: ReadonlyMap<number, readonly Form[]>;
}

/** The position of a secret in a text. */
export interface SecretSpan {
  from: number;
  to: number;
  name: string;
}

/** The replacement character, which decoders write for invalid bytes. */
const LOST = 0xfffd;
const NONE: readonly Form[] = [];

/** Returns the search patterns; `null` without secrets. */
export function secretPatternsOf(secrets: readonly NamedSecret[]): SecretPatterns | null {
  const written = secrets.flatMap(({ name, value }) => formsOf(value).map((form) => ({ name, form })));
  if (written.length === 0) return null;
  const forms = new Map<number, Form[]>();
  for (const { name, form } of written) {
    const codes = Array.from(form, (one) => one.codePointAt(0) ?? 0);
    const [first = 0] = codes;
    const plain = codes.findIndex(startsEscape);
    // A non-ASCII character may have been replaced, and one of two halves may begin with an escape of the first.
    const beginnings = [first, ...(first > 0x7f ? [LOST] : []), ...(first > 0xffff ? halves(first).slice(0, 1) : [])];
    for (const one of new Set(beginnings))
      forms.set(one, [...(forms.get(one) ?? []), { name, codes, plain: plain < 0 ? codes.length : plain }]);
  }
  const heads = new RegExp([...written.map(({ form }) => headOf(form)), `[${ESCAPE_STARTERS}]`].join("|"), "g");
  return { heads, forms };
}

/**
 * Returns every position of every secret, including overlapping ones, so that no part of a secret remains. `unread`: where the budget
 * ended, or the end of the text; everything that begins before it was found completely.
 */
export function spansIn(
  text: string,
  { heads, forms }: SecretPatterns,
  effort: Effort,
): { spans: SecretSpan[]; unread: number } {
  const spans: SecretSpan[] = [];
  heads.lastIndex = 0;
  for (let head = heads.exec(text); head !== null; head = heads.exec(text)) {
    const from = head.index;
    const first = readings(text, from, effort);
    for (const form of beginningWith(first, forms)) {
      const to = follow(text, { from, first }, form, effort);
      if (to !== null) spans.push({ from, to, name: form.name });
    }
    if (effort.left < 0) return { spans, unread: from };
    heads.lastIndex = from + 1;
  }
  return { spans, unread: text.length };
}

/** Returns the patterns that begin with any of these readings, without duplicates. */
function beginningWith(first: readonly Reading[], forms: SecretPatterns["forms"]): Iterable<Form> {
  const found = new Set<Form>();
  for (const { code } of first) for (const form of forms.get(code) ?? NONE) found.add(form);
  return found;
}

/** Returns a pattern for the start of a form: its first two characters, or one that is followed by an escape. */
function headOf(form: string): string {
  const [first = "", second = ""] = Array.from(form, (char) => char.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return `${first}(?:${second}|[${ESCAPE_STARTERS}])`;
}

/**
 * Returns where a text that begins here ends, in any encoding; `null` if another text is here or the budget is exceeded. `first`: the
 * readings at this position.
 */
function follow(
  text: string,
  { from, first }: { from: number; first: readonly Reading[] },
  { codes, plain }: Form,
  effort: Effort,
): number | null {
  let n = 0;
  let at = from;
  for (; n < plain && text.codePointAt(at) === codes[n]; n++) at += (codes[n] ?? 0) > 0xffff ? 2 : 1;
  if (!spendEffort(effort, n)) return null;
  let places = [at];
  for (; n < codes.length; n++) {
    const code = codes[n] ?? 0;
    if (!spendEffort(effort, places.length)) return null;
    const next = new Set<number>();
    for (const place of places) {
      const read = n === 0 ? first : readings(text, place, effort);
      for (const end of endsAt(text, { place, read }, code, effort)) next.add(end);
    }
    if (next.size === 0) return null;
    places = [...next];
  }
  return Math.max(...places);
}

/** Returns the end of the expected character among the readings. */
function endsAt(
  text: string,
  { place, read }: { place: number; read: readonly Reading[] },
  code: number,
  effort: Effort,
): number[] {
  const fitting = read.filter((one) => one.code === code).map(({ end }) => end);
  if (code < 0x80) return fitting;
  // One replacement character per undecodable byte, or one for all.
  for (let end = place; end < place + 4 && text.charCodeAt(end) === LOST; end++) fitting.push(end + 1);
  if (code > 0xffff) {
    // Each half of a surrogate pair as a separate escape.
    const [high, low] = halves(code);
    for (const half of read.filter((one) => one.code === high))
      for (const other of readings(text, half.end, effort)) if (other.code === low) fitting.push(other.end);
  }
  return fitting;
}

/** Returns the surrogate pair of a character. */
function halves(code: number): [number, number] {
  const text = String.fromCodePoint(code);
  return [text.charCodeAt(0), text.charCodeAt(1)];
}

/** Returns a value as it is, and inside base64 at each offset. Encodings of single characters are handled elsewhere. */
function formsOf(value: string): string[] {
  if (value === "") return [];
  const codes = Array.from(value, (char) => char.codePointAt(0) ?? 0);
  const isLatin = codes.some((code) => code > 127) && codes.every((code) => code < 256);
  const encodings = [new TextEncoder().encode(value), ...(isLatin ? [Uint8Array.from(codes)] : [])];
  return [value, ...encodings.flatMap((bytes) => [0, 1, 2].flatMap((shift) => base64Core(bytes, shift)))];
}

/** Returns the base64 characters that depend only on these bytes, if they begin at this offset within a group of three. */
function base64Core(bytes: Uint8Array, shift: number): string[] {
  const padded = new Uint8Array(shift + bytes.length);
  padded.set(bytes, shift);
  const all = encodeBase64(padded).replace(/=+$/, "");
  const whole = Math.floor((padded.length * 8) / 6);
  const core = all.slice(Math.ceil((shift * 8) / 6), whole);
  // Too short to distinguish from coincidence.
  if (core.length < 8) return [];
  return /[+/]/.test(core) ? [core, core.replaceAll("+", "-").replaceAll("/", "_")] : [core];
}
