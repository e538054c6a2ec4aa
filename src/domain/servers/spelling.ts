// How a text may be spelt where it travels: behind backslashes, as escapes of JSON and its like, of URLs, of HTML, and these inside
// each other. Each character is read by itself, since no two encoders agree on which ones they escape.

/** A character that a text may mean at a place, and where it ends. */
interface Reading {
  code: number;
  end: number;
}

/** How many kinds of escapes may stand inside each other. */
const DEPTH = 3;
/** How many backslashes strings inside strings make of one. */
const DOUBLED = 8;
const [BACKSLASH, PERCENT, AMPERSAND, PLUS, HASH, SEMICOLON] = [0x5c, 0x25, 0x26, 0x2b, 0x23, 0x3b];
const SHORT: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 };
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const NAMED: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27, nbsp: 0x20 };
const NAME = /amp|lt|gt|quot|apos|nbsp/y;
const NUMBER = /[xX]([0-9a-fA-F]{1,8})|([0-9]{1,8})/y;
const BRACED = /\{([0-9a-fA-F]{1,8})\}/y;
/** A percent sign that was encoded again. */
const AGAIN = "25";
/** An ampersand that was encoded again. */
const AMP = /amp;|#38;|#[xX]26;/y;
/** What stands where bytes were read in an encoding that has no such character: one for each of them, or one for all. */
const LOST = /\uFFFD{1,4}/y;
/** Characters that more than themselves may begin with: a pattern's class. */
export const INTRODUCERS = "\\\\%&+\\u00c2-\\u00f4\\ufffd";

/** Everything that the text may mean at a place. */
export function readings(text: string, at: number, depth = DEPTH): Reading[] {
  const code = text.codePointAt(at);
  if (code === undefined) return [];
  const found = [{ code, end: at + (code > 0xffff ? 2 : 1) }];
  if (depth === 0) return found;
  if (code === BACKSLASH) {
    let end = at + 1;
    while (end - at <= DOUBLED && text.charCodeAt(end) === BACKSLASH) end++;
    for (let length = 2; length <= end - at; length *= 2) found.push({ code, end: at + length });
    if (end - at <= DOUBLED) found.push(...nested(text, escaped(text, { code, end }, depth - 1), depth));
  } else if (code === PERCENT) {
    let end = at + 1;
    for (; text.startsWith(AGAIN, end) && end - at < DOUBLED; end += 2) found.push({ code, end: end + 2 });
    for (const { end: after } of found.slice())
      found.push(...nested(text, escaped(text, { code, end: after }, depth - 1), depth));
  } else if (code === AMPERSAND) {
    let end = at + 1;
    for (
      let again = matchAt(AMP, text, end);
      again !== null && end - at < 4 * DOUBLED;
      again = matchAt(AMP, text, end)
    ) {
      end += again[0].length;
      found.push({ code, end });
    }
    found.push(...nested(text, escaped(text, { code, end }, depth - 1), depth));
  } else if (code === PLUS || isLead(code)) {
    found.push(...escaped(text, { code, end: at + 1 }, depth - 1));
  }
  return found;
}

/** What was read, and what it means where it introduces an escape of another kind. */
function nested(text: string, found: readonly Reading[], depth: number): Reading[] {
  if (depth < 2) return [...found];
  return found.flatMap((one) =>
    introduces(one.code) || isLead(one.code) ? [one, ...escaped(text, one, depth - 1)] : [one],
  );
}

/** Where a text ends that begins at a place, whatever its spelling; else how far that place agrees with it. */
export function follow(text: string, from: number, sought: readonly number[], effort: { left: number }) {
  let places = [from];
  for (const [agreed, code] of sought.entries()) {
    effort.left -= places.length;
    // One place, and one escape, are enough where no more may be spent.
    if (effort.left < 0) places = places.slice(-1);
    const depth = effort.left < 0 ? 1 : DEPTH;
    const [only = 0, ...more] = places;
    if (more.length === 0 && text.codePointAt(only) === code && !introduces(code)) {
      places = [only + (code > 0xffff ? 2 : 1)];
      continue;
    }
    const next = new Set(places.flatMap((place) => ends(text, place, code, depth)));
    if (next.size === 0) return { isWhole: false, agreed, end: Math.max(...places) };
    places = [...next];
  }
  return { isWhole: true, agreed: sought.length, end: Math.max(...places) };
}

function ends(text: string, place: number, code: number, depth: number): number[] {
  const fitting = readings(text, place, depth).flatMap((reading) => (reading.code === code ? [reading.end] : []));
  if (code < 0x80) return fitting;
  const lost = matchAt(LOST, text, place)?.[0].length ?? 0;
  return [...fitting, ...Array.from({ length: lost }, (_, n) => place + n + 1)];
}

function introduces(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === AMPERSAND || code === PLUS;
}

/** What follows on a character that introduces escapes makes one. */
function escaped(text: string, { code, end }: Reading, depth: number): Reading[] {
  if (code === BACKSLASH) return readings(text, end, depth).flatMap((next) => behindBackslash(text, next, depth));
  if (code === PERCENT) return behindPercent(text, end, depth);
  if (code === AMPERSAND) return entity(text, end, depth);
  if (code === PLUS) return [{ code: 0x20, end }];
  // Bytes of UTF-8 that were read as Latin-1.
  const continued = (at: number) => readings(text, at, depth).find((next) => isContinuation(next.code)) ?? null;
  return isLead(code) ? composed(code, end, continued) : [];
}

function behindBackslash(text: string, next: Reading, depth: number): Reading[] {
  const letter = String.fromCodePoint(next.code);
  if (!/[A-Za-z0-9]/.test(letter)) return [next];
  const short = SHORT[letter];
  if (short !== undefined) return [{ code: short, end: next.end }];
  const braced = letter === "u" ? matchAt(BRACED, text, next.end) : null;
  if (braced !== null) return [{ code: Number.parseInt(braced[1] ?? "", 16), end: next.end + braced[0].length }];
  const digits = HEX_DIGITS[letter];
  const code = digits === undefined ? null : hexAt(text, next.end, digits);
  if (digits === undefined || code === null) return [];
  const unit = { code, end: next.end + digits };
  if (code < 0xd800 || code > 0xdbff) return [unit];
  // The first half of a character; the second is written the same way.
  const second = readings(text, unit.end, depth + 1).find((one) => one.code >= 0xdc00 && one.code <= 0xdfff);
  return second === undefined
    ? [unit]
    : [{ code: (code - 0xd800) * 0x400 + (second.code - 0xdc00) + 0x10000, end: second.end }];
}

function behindPercent(text: string, at: number, depth: number): Reading[] {
  const byte = hexAt(text, at, 2);
  if (byte === null) return [];
  const continued = (from: number) => {
    const sign = readings(text, from, depth).find(({ code }) => code === PERCENT);
    const next = sign === undefined ? null : hexAt(text, sign.end, 2);
    return sign === undefined || next === null || !isContinuation(next) ? null : { code: next, end: sign.end + 2 };
  };
  // By itself it is a character of Latin-1.
  return [{ code: byte, end: at + 2 }, ...(isLead(byte) ? composed(byte, at + 2, continued) : [])];
}

/** A character of several bytes of UTF-8. */
function composed(lead: number, at: number, continued: (at: number) => Reading | null): Reading[] {
  const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  let code = lead & (0x3f >> more);
  let end = at;
  for (let n = 0; n < more; n++) {
    const next = continued(end);
    if (next === null) return [];
    code = code * 0x40 + (next.code & 0x3f);
    end = next.end;
  }
  return [{ code, end }];
}

/** What ends an entity or begins its number is written as it is, or as a URL writes it. */
function isSign(text: string, at: number, sign: number): boolean {
  const code = text.charCodeAt(at);
  return code === sign || code === PERCENT;
}

function entity(text: string, at: number, depth: number): Reading[] {
  const name = matchAt(NAME, text, at);
  if (name !== null) return ended(text, NAMED[name[0]] ?? 0, at + name[0].length, depth);
  if (!isSign(text, at, HASH)) return [];
  return readings(text, at, depth).flatMap(({ code, end }) => {
    const number = code === HASH ? matchAt(NUMBER, text, end) : null;
    if (number === null) return [];
    const [all, hex, decimal] = number;
    return ended(text, hex === undefined ? Number(decimal) : Number.parseInt(hex, 16), end + all.length, depth);
  });
}

function ended(text: string, code: number, at: number, depth: number): Reading[] {
  if (!isSign(text, at, SEMICOLON)) return [];
  return readings(text, at, depth).flatMap((next) => (next.code === SEMICOLON ? [{ code, end: next.end }] : []));
}

function hexAt(text: string, at: number, digits: number): number | null {
  const written = text.slice(at, at + digits);
  return written.length === digits && /^[0-9a-fA-F]+$/.test(written) ? Number.parseInt(written, 16) : null;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function isLead(byte: number): boolean {
  return byte >= 0xc2 && byte <= 0xf4;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte <= 0xbf;
}
