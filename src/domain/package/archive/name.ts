// Decodes the names in a ZIP. Most are UTF-8, but Windows writes names in the code page of its locale without declaring it. Such names are
// decoded, with a warning, if they are words in exactly one code page. Otherwise they are rejected.

import { crc32 } from "../../crc32";
import type { Extra } from "./extra";

/** Supported code pages. */
export type CodePage = "GBK" | "Shift-JIS" | "Windows-1252" | "CP437";

/**
 * How a name was decoded. `utf8`: ASCII or marked as UTF-8. `unmarked`: UTF-8 without the flag. `field`: from the field 0x7075, because the
 * name itself is not UTF-8. Otherwise the detected code page.
 */
export type NameSource = "utf8" | "unmarked" | "field" | CodePage;

/** Message for a name that cannot be decoded. */
export const NOT_UTF8 =
  "The file name is not UTF-8 and its encoding is unclear. Rename the file with ASCII letters, or create the ZIP with UTF-8 names (7-Zip: -mcu=on).";

/** Without the UTF-8 flag the encoding is undefined. macOS and `zip` omit the flag and write UTF-8. */
export function decodeName(
  raw: Uint8Array,
  marked: boolean,
  extra: Extra | null,
  page: CodePage | null,
): { name: string; nameFrom: NameSource } | null {
  const name = utf8Name(raw);
  if (name !== null) return { name, nameFrom: marked || raw.every((byte) => byte < 0x80) ? "utf8" : "unmarked" };
  if (marked) return null;
  const unicode = extra === null ? null : unicodeName(extra, raw);
  if (unicode !== null) return { name: unicode, nameFrom: "field" };
  const read = page === null ? null : nameInPage(page, raw);
  return page === null || read === null ? null : { name: read, nameFrom: page };
}

/** Returns the name in field 0x7075 if it belongs to this raw name, otherwise `null`. */
export function unicodeName({ unicodePath }: Extra, rawName: Uint8Array): string | null {
  return unicodePath === null || unicodePath.forName !== crc32(rawName) ? null : utf8Name(unicodePath.name);
}

/** Decodes UTF-8. Returns `null` for invalid bytes. */
export function utf8Name(raw: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return null;
  }
}

/** Returns the only code page in which all of these names are words, or `null` if there is none or more than one. */
export function codePageOf(names: readonly Uint8Array[]): CodePage | null {
  if (names.length === 0) return null;
  const fitting = PAGES.filter((page) => FITS[page](names));
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** Decodes a name in a code page. Returns `null` if the bytes are not a plausible name in it. */
function nameInPage(page: CodePage, raw: Uint8Array): string | null {
  if (page === "CP437") return [...raw].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : cp437(byte))).join("");
  try {
    return new TextDecoder(LABELS[page], { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return null;
  }
}

/** Returns undecodable bytes for display, with non-ASCII bytes as escapes. */
export function escapedName(raw: Uint8Array): string {
  const hex = (byte: number) => `\\x${byte.toString(16).padStart(2, "0")}`;
  return [...raw].map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : hex(byte))).join("");
}

const PAGES: readonly CodePage[] = ["GBK", "Shift-JIS", "Windows-1252", "CP437"];
const LABELS = { GBK: "gbk", "Shift-JIS": "shift_jis", "Windows-1252": "windows-1252" } as const;

/** The letters of CP437. CP850 has the same letters at these positions. Other characters of the code page do not occur in names. */
const CP437_LETTERS = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ";
const CP437_ACUTE = "áíóúñÑ";

function cp437(byte: number): string {
  if (byte === 0xe1) return "ß";
  return CP437_LETTERS[byte - 0x80] ?? CP437_ACUTE[byte - 0xa0] ?? "\ufffd";
}

const FITS: Record<CodePage, (names: readonly Uint8Array[]) => boolean> = {
  GBK: (names) => isDoubleByte("GBK", names, isHanzi),
  "Shift-JIS": (names) => isDoubleByte("Shift-JIS", names, isJapanese),
  "Windows-1252": (names) => names.every((raw) => isWestern("Windows-1252", raw, (byte) => byte >= 0xc0)),
  CP437: (names) => names.every((raw) => isWestern("CP437", raw, (byte) => cp437(byte) !== "\ufffd")),
};

/** Whether two bytes are in GB2312: punctuation, full-width forms or hanzi. */
function isHanzi(lead: number, trail: number): boolean {
  return trail >= 0xa1 && ((lead >= 0xa1 && lead <= 0xa3) || (lead >= 0xb0 && lead <= 0xf7));
}

/** Whether two bytes are kana, common kanji or punctuation of names. Full-width letters are excluded: `\x82s` is more likely `és`. */
function isJapanese(lead: number, trail: number): boolean {
  if (trail < 0x40 || trail === 0x7f || trail > 0xfc) return false;
  if (lead === 0x81) return [0x40, 0x41, 0x42, 0x45, 0x5b, 0x69, 0x6a, 0x75, 0x76].includes(trail);
  if (lead === 0x82) return trail >= 0x9f && trail <= 0xf1;
  if (lead === 0x83) return trail <= 0x96;
  return lead >= 0x88 && lead <= 0x97;
}

/**
 * Whether a name consists of double-byte pairs and ASCII only, with at least two adjacent pairs. A single pair could be two letters of
 * another code page.
 */
function isDoubleByte(
  page: CodePage,
  names: readonly Uint8Array[],
  isPair: (lead: number, trail: number) => boolean,
): boolean {
  let longest = 0;
  for (const raw of names) {
    let run = 0;
    for (let at = 0; at < raw.length; at++) {
      const lead = raw[at] ?? 0;
      if (lead < 0x80) {
        run = 0;
        continue;
      }
      at += 1;
      if (!isPair(lead, raw[at] ?? 0)) return false;
      run += 1;
      longest = Math.max(longest, run);
    }
  }
  return longest >= 2 && names.every((raw) => nameInPage(page, raw) !== null);
}

/** Whether a name consists of Latin words, with at most two accented letters in a row, next to plain letters of the same case. */
function isWestern(page: CodePage, raw: Uint8Array, isLetter: (byte: number) => boolean): boolean {
  if (raw.some((byte) => byte >= 0x80 && !isLetter(byte))) return false;
  const name = nameInPage(page, raw) ?? "";
  const accented = name.match(/[a-z]?[^\0-\x7f]+[a-z]?/gi) ?? [];
  return accented.every(
    (part) =>
      /^(?:[a-z][^\0-\x7f]{1,2}[a-z]?|[^\0-\x7f]{1,2}[a-z])$/i.test(part) && !/\p{Ll}(?=[^\0-\x7f])\p{Lu}/u.test(part),
  );
}
