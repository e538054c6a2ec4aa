// Finds all readings of encoded text: backslash escapes, JSON and JavaScript escapes, URL and HTML encoding, also nested. Each character is
// decoded separately, because encoders differ in what they escape.

/** A character that the text may stand for, and its end. */
export interface Reading {
  code: number;
  end: number;
}

/** The remaining budget for a text. It becomes negative when exceeded, and nothing more is read. */
export interface Effort {
  left: number;
}

/** Maximum nesting of encodings. */
const DEPTH = 3;
/** Maximum number of backslashes that nested strings produce from one. */
const DOUBLED = 8;
/** Cost of reading a position where an escape can start. Other steps cost one. */
export const READ_COST = 16;
const [BACKSLASH, PERCENT, AMPERSAND, PLUS, HASH, SEMICOLON] = [0x5c, 0x25, 0x26, 0x2b, 0x23, 0x3b];
const SHORT: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 };
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const NAMED: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27, nbsp: 0x20 };
const NAME = /amp|lt|gt|quot|apos|nbsp/y;
const NUMBER = /[xX]([0-9a-fA-F]{1,8})|([0-9]{1,8})/y;
const BRACED = /\{([0-9a-fA-F]{1,8})\}/y;
/** A percent sign that was itself encoded. */
const AGAIN = "25";
/** An ampersand that was itself encoded. */
const AMP = /amp;|#38;|#[xX]26;/y;
/** Characters that can start an escape, as a character class. */
export const ESCAPE_STARTERS = "\\\\%&+\\u00c2-\\u00f4\\ufffd";

/** Returns all readings at a position. */
export function readings(text: string, at: number, effort: Effort, depth = DEPTH): Reading[] {
  const code = text.codePointAt(at);
  if (code === undefined) return [];
  const mayMeanMore = depth > 0 && (startsEscape(code) || isLead(code));
  if (!spendEffort(effort, mayMeanMore ? READ_COST : 1)) return [];
  const found = [{ code, end: at + (code > 0xffff ? 2 : 1) }];
  if (!mayMeanMore) return found;
  if (code === BACKSLASH) {
    let end = at + 1;
    while (end - at <= DOUBLED && text.charCodeAt(end) === BACKSLASH) end++;
    for (let length = 2; length <= end - at; length *= 2) found.push({ code, end: at + length });
    if (end - at <= DOUBLED) addNested(found, text, { code, end }, effort, depth);
  } else if (code === PERCENT) {
    const ends = [at + 1];
    for (let end = at + 1; text.startsWith(AGAIN, end) && end - at < DOUBLED; end += 2) ends.push(end + 2);
    for (const end of ends.slice(1)) found.push({ code, end });
    for (const end of ends) addNested(found, text, { code, end }, effort, depth);
  } else if (code === AMPERSAND) {
    let end = at + 1;
    while (end - at < 4 * DOUBLED) {
      const again = matchAt(AMP, text, end);
      if (again === null) break;
      end += again[0].length;
      found.push({ code, end });
    }
    addNested(found, text, { code, end }, effort, depth);
  } else addEscaped(found, text, { code, end: at + 1 }, effort, depth - 1);
  return found;
}

/** Subtracts a cost from the budget; returns false if it is exceeded. */
export function spendEffort(effort: Effort, cost: number): boolean {
  const can = effort.left >= cost;
  effort.left = can ? effort.left - cost : -1;
  return can;
}

/** Whether an escape begins with an ASCII character. */
export function startsEscape(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === AMPERSAND || code === PLUS;
}

/** Adds the characters that an escape stands for, and their own meaning if they begin another kind of escape. */
function addNested(found: Reading[], text: string, sign: Reading, effort: Effort, depth: number): void {
  const meant: Reading[] = [];
  addEscaped(meant, text, sign, effort, depth - 1);
  for (const one of meant) {
    found.push(one);
    const isAgain = depth > 1 && (startsEscape(one.code) || isLead(one.code));
    if (isAgain) addEscaped(found, text, one, effort, depth - 1);
  }
}

/** Adds the readings of an escape that starts with this character. */
function addEscaped(found: Reading[], text: string, { code, end }: Reading, effort: Effort, depth: number): void {
  if (code === BACKSLASH) {
    for (const next of readings(text, end, effort, depth)) {
      const meant = behindBackslash(text, next);
      if (meant !== null) found.push(meant);
    }
  } else if (code === PERCENT) addBytes(found, text, end, effort, depth);
  else if (code === AMPERSAND) addEntities(found, text, end, effort, depth);
  else if (code === PLUS) found.push({ code: 0x20, end });
  else if (isLead(code)) {
    // UTF-8 bytes that were decoded as Latin-1.
    const continued = (at: number) =>
      readings(text, at, effort, depth).find((next) => isContinuation(next.code)) ?? null;
    const whole = composed(code, end, continued);
    if (whole !== null) found.push(whole);
  }
}

/** Half of a surrogate pair is read as such; the caller combines two. */
function behindBackslash(text: string, next: Reading): Reading | null {
  if (!isLetterOrDigit(next.code)) return next;
  const letter = String.fromCharCode(next.code);
  const short = SHORT[letter];
  if (short !== undefined) return { code: short, end: next.end };
  const braced = letter === "u" ? matchAt(BRACED, text, next.end) : null;
  if (braced !== null) return { code: Number.parseInt(braced[1] ?? "", 16), end: next.end + braced[0].length };
  const digits = HEX_DIGITS[letter];
  const code = digits === undefined ? null : hexAt(text, next.end, digits);
  return digits === undefined || code === null ? null : { code, end: next.end + digits };
}

function addBytes(found: Reading[], text: string, at: number, effort: Effort, depth: number): void {
  const byte = hexAt(text, at, 2);
  if (byte === null) return;
  // Alone, it is a Latin-1 character.
  found.push({ code: byte, end: at + 2 });
  if (!isLead(byte)) return;
  const continued = (from: number) => {
    const sign = readings(text, from, effort, depth).find(({ code }) => code === PERCENT);
    const next = sign === undefined ? null : hexAt(text, sign.end, 2);
    return sign === undefined || next === null || !isContinuation(next) ? null : { code: next, end: sign.end + 2 };
  };
  const whole = composed(byte, at + 2, continued);
  if (whole !== null) found.push(whole);
}

/** A UTF-8 character of several bytes. */
function composed(lead: number, at: number, continued: (at: number) => Reading | null): Reading | null {
  const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  let code = lead & (0x3f >> more);
  let end = at;
  for (let n = 0; n < more; n++) {
    const next = continued(end);
    if (next === null) return null;
    code = code * 0x40 + (next.code & 0x3f);
    end = next.end;
  }
  return { code, end };
}

/** The end or number sign of an entity may itself be URL-encoded. */
function isSign(text: string, at: number, sign: number): boolean {
  const code = text.charCodeAt(at);
  return code === sign || code === PERCENT;
}

function addEntities(found: Reading[], text: string, at: number, effort: Effort, depth: number): void {
  const name = isLetterOrDigit(text.charCodeAt(at)) ? matchAt(NAME, text, at) : null;
  if (name !== null) {
    addEnded(found, text, { code: NAMED[name[0]] ?? 0, end: at + name[0].length }, effort, depth);
  } else if (isSign(text, at, HASH)) {
    for (const { code, end } of readings(text, at, effort, depth)) {
      const number = code === HASH ? matchAt(NUMBER, text, end) : null;
      if (number === null) continue;
      const [all, hex, decimal] = number;
      const meant = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      addEnded(found, text, { code: meant, end: end + all.length }, effort, depth);
    }
  }
}

function addEnded(found: Reading[], text: string, { code, end }: Reading, effort: Effort, depth: number): void {
  if (!isSign(text, end, SEMICOLON)) return;
  for (const next of readings(text, end, effort, depth))
    if (next.code === SEMICOLON) found.push({ code, end: next.end });
}

/** Returns the number written with this number of digits, or `null` if digits are missing. */
function hexAt(text: string, at: number, digits: number): number | null {
  let number = 0;
  for (let n = at; n < at + digits; n++) {
    const digit = hexDigit(text.charCodeAt(n));
    if (digit < 0) return null;
    number = number * 16 + digit;
  }
  return number;
}

function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function isLetterOrDigit(code: number): boolean {
  const letter = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x7a && code < 0x80);
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
