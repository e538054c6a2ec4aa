// Where an escape may begin that means one of some characters. A pattern finds these places, so that all other escapes of a text,
// which are most of an honest one, cost nothing.

/** Letters behind a backslash that mean a control character. */
export const SHORT: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 };
/** Entities of HTML that are known by name. */
export const NAMED: Readonly<Record<string, number>> = {
  amp: 0x26,
  lt: 0x3c,
  gt: 0x3e,
  quot: 0x22,
  apos: 0x27,
  nbsp: 0x20,
};

const HEX = "[0-9a-fA-F]";
/** What escapes of another kind begin with: a backslash, a percent sign, an ampersand. */
const NESTING = [0x5c, 0x25, 0x26];
const [PLUS, SPACE] = [0x2b, 0x20];
/** Patterns of single characters that are kept made. */
const KEPT = 1_000;
const patterns = new Map<number, RegExp>();
/** The names and signs behind an ampersand of which any may be an escape inside an escape. */
const ENTITY = `(?:${Object.keys(NAMED).join("|")}|#|%)`;

/** A pattern's source: it fits wherever an escape may begin that means one of these characters, and at few other places. */
export function escapeStarts(meant: ReadonlySet<number>): string {
  const codes = [...new Set([...meant, ...NESTING, ...(meant.has(SPACE) ? [PLUS] : [])])];
  const isWide = codes.some((code) => code > 127);
  // A character outside of ASCII may be written as its bytes, and each of these as a character.
  const bytes = isWide ? [`[c-fC-F]${HEX}`] : [];
  const hex = (digits: number) => [
    ...codes.filter((code) => code < 16 ** digits).map((code) => hexOf(code, digits)),
    ...bytes.map((byte) => "0".repeat(digits - 2) + byte),
  ];
  const surrogate = codes.some((code) => code > 0xffff) ? [`[dD][89abAB]${HEX}{2}`] : [];
  const free = [...hex(2), ...codes.filter((code) => code > 0xff).map((code) => hexOf(code, 2)), ...surrogate];
  const names = Object.keys(NAMED).filter((name) => name !== "amp" && meant.has(NAMED[name] ?? 0));
  const again = ["amp", "#", "%", ...names].join("|");
  const behind = [
    `x${either(hex(2))}`,
    `u(?:${either([...hex(4), ...surrogate])}|\\{0{0,7}${either(free)}\\})`,
    `U${either([...hex(8), ...surrogate.map((unit) => `0000${unit}`)])}`,
    ...Object.keys(SHORT).filter((letter) => meant.has(SHORT[letter] ?? 0)),
    ...codes.filter((code) => !NESTING.includes(code) || meant.has(code)).flatMap(signOf),
    // Escapes inside this one may mean its letter.
    `%${HEX}{2}`,
    `&${ENTITY}`,
    ...(isWide ? ["[\\u00c2-\\u00f4]"] : []),
  ];
  const percent = [
    ...codes
      .filter((code) => code < 0x100 && ((code !== 0x25 && code !== 0x5c) || meant.has(code)))
      .map((code) => hexOf(code, 2)),
    backslashInUrl(codes, meant, bytes),
    ...codes.filter((code) => code > 127).map(firstBytes),
    // Bytes that mean a byte which was read as Latin-1 and written again.
    ...(isWide ? [`[cC]3(?:[\\\\&\\u0080-\\u00f4]|%(?:25){0,5}[89abAB]${HEX}[%\\\\&\\u0080-\\u00f4])`] : []),
  ];
  const decimal = [...codes.map(String), ...(isWide ? ["19[4-9]", "2[0-3][0-9]", "24[0-4]"] : [])];
  const starts = [
    `\\\\{1,9}${either(behind)}`,
    `%(?:25){0,5}${either(percent)}`,
    `&(?:amp(?:%|;(?:${again}))|${[...names.map((name) => `${name}[;%]`), "%(?:25)*23"].join("|")}`,
  ];
  starts[2] += `|#(?:0{0,7}${either(decimal)}|[xX]0{0,7}${either(free)})[;%]${meant.has(0x26) ? "|amp[;%]" : ""})`;
  if (meant.has(SPACE)) starts.push("\\+");
  if (isWide) starts.push("[\\u00c2-\\u00f4](?=[\\u0080-\\u00f4\\\\%&])", "\\ufffd");
  return starts.join("|");
}

/** Whether an escape that may mean a character begins at a place: quick, and never wrong where it says no. */
export function mayMean(code: number, text: string, at: number): boolean {
  const pattern = patterns.get(code) ?? new RegExp(escapeStarts(new Set([code])), "y");
  if (patterns.size >= KEPT) patterns.clear();
  patterns.set(code, pattern);
  pattern.lastIndex = at;
  return pattern.test(text);
}

function either(patterns: readonly string[]): string {
  return `(?:${patterns.join("|")})`;
}

/** The digits of a number, in capitals or not. */
function hexOf(code: number, digits: number): string {
  const written = code.toString(16).padStart(digits, "0");
  return written.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** A backslash, behind a percent sign, with what makes it an escape. */
function backslashInUrl(codes: readonly number[], meant: ReadonlySet<number>, bytes: readonly string[]): string {
  const shorts = Object.keys(SHORT).filter((letter) => meant.has(SHORT[letter] ?? 0));
  const letters = ["x", "u", "U", ...shorts].map((letter) => hexOf(letter.charCodeAt(0), 2));
  const next = codes.filter((code) => code < 0x100 && code !== 0x5c).map((code) => hexOf(code, 2));
  const raw = [`x${HEX}{2}`, `u(?:${HEX}{4}|\\{)`, `U${HEX}{8}`, "[&\\u00c2-\\u00f4]", ...shorts, ...meantSigns(meant)];
  const written = `%(?:25){0,5}${either([...letters, ...next, ...bytes])}`;
  return `5[cC](?:%(?:25){0,5}5[cC]|\\\\){0,8}${either([...raw, written])}`;
}

function meantSigns(meant: ReadonlySet<number>): string[] {
  return [...meant].flatMap(signOf);
}

/** The first bytes of a character as a URL writes them. The sign of the second may itself be an escape. */
function firstBytes(code: number): string {
  const [first = 0, second = 0] = new TextEncoder().encode(String.fromCodePoint(code));
  return `${hexOf(first, 2)}(?:%(?:25){0,5}${hexOf(second, 2)}|[\\\\&\\u0080-\\u00f4])`;
}

/** A character by itself, where a backslash before it means nothing. */
function signOf(code: number): string[] {
  const char = String.fromCodePoint(code);
  return /[A-Za-z0-9]/.test(char) ? [] : [char.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")];
}
