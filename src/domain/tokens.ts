// Estimates tokens without a tokenizer, and renders the line that shows a skill before it is loaded.

import { CATALOG_LIMITS } from "./limits";
import { escapeSkillTags } from "./tags";

/** The usual rule of thumb for English and code. Only files are estimated; instructions are counted (`storage/assets/tokenizer.ts`). */
const BYTES_PER_TOKEN = 4;

/** An estimate of what reading a file costs, from its size alone, rounded up. Users see it marked as an estimate. */
export function estimateFileTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * Returns the catalog's line for a skill (level 1), identical in the prompt, in a tool's description, and for counting.
 *
 * @param tokens maximum tokens of its description, if less than in the list
 */
export function catalogLine(name: string, description: string, tokens?: number): string {
  return escapeSkillTags(`- **${oneLine(name)}**: ${listedDescription(description, tokens)}`);
}

/** Characters that are removed from lines: direction controls and tag characters. */
const UNSEEN = /[\p{Bidi_Control}\u{E0000}-\u{E0FFF}]/gu;

/** Returns the text on one line: runs of white space and control characters become one space, and the ends are trimmed. */
export function oneLine(text: string): string {
  return text
    .replace(UNSEEN, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** End of a sentence: not before a lower-case continuation. */
const SENTENCE_END = /[.!?]["'”’)\]]*(?= \P{Ll})|[。！？]/gu;
/** Maximum characters to go back for the end of a word. */
const WORD_CHARS = 30;

/**
 * Returns the description as the list shows it, on one line and in at most `CATALOG_LIMITS.lineTokens` estimated tokens: completely,
 * otherwise its first whole sentences, otherwise its beginning with an ellipsis.
 */
export function listedDescription(description: string, tokens: number = CATALOG_LIMITS.lineTokens): string {
  const text = oneLine(description);
  const most = Math.max(1, Math.min(tokens, CATALOG_LIMITS.lineTokens));
  const end = fitting(text, most);
  if (end === text.length) return text;
  const sentences = [...text.matchAll(SENTENCE_END)].map((match) => match.index + match[0].length);
  const whole = sentences.filter((at) => at <= end).at(-1);
  if (whole !== undefined) return text.slice(0, whole);
  const cut = fitting(text, most - 1);
  const space = text.lastIndexOf(" ", cut);
  return `${text.slice(0, space > cut - WORD_CHARS && space > 0 ? space : cut).trimEnd()}…`;
}

/** Splits words into five letters, capitals into two, digits into three; other characters count alone. */
const PIECE = /[A-Z][a-z]{1,4}|[a-z]{1,5}|[A-Z]{1,2}|\d{1,3}|[\s\S]/gu;
/** Two-byte letters that form words, including those of smaller alphabets. */
const COMMON_LETTER = /[\u00c0-\u00ff\u0370-\u03ff\u0400-\u045f\u05d0-\u05ea\u0620-\u064a]/;
const LATIN_LETTER = /[\u0100-\u017f]/;
/** Three-byte characters that are usually at most one token. */
const COMMON_SIGN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Devanagari}\u2010-\u203f\u3000-\u303f\uff00-\uffef]/u;

/** Returns a conservative estimate of a text's tokens, as used for list lines. */
export function estimateTokens(text: string): number {
  let sum = 0;
  for (const [piece] of text.matchAll(PIECE)) sum += pieceTokens(piece);
  return Math.ceil(sum);
}

/** Returns how much of a text fits into this number of tokens: the position after the last piece that fits. */
function fitting(text: string, tokens: number): number {
  let sum = 0;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    sum += pieceTokens(piece);
    if (sum > tokens) return index;
  }
  return text.length;
}

/**
 * Returns a cautious estimate, because the tokenizer's ranks are loaded only when a skill is published. Of 1 652 real descriptions, five
 * had more tokens. Unusual text counts one token per byte, which is the maximum.
 */
function pieceTokens(piece: string): number {
  const character = piece.codePointAt(0) ?? 0;
  if (character < 0x80) return piece === " " ? 0 : 1;
  if (character < 0x800) return COMMON_LETTER.test(piece) ? 0.5 : LATIN_LETTER.test(piece) ? 1 : 2;
  if (character < 0x10000) return COMMON_SIGN.test(piece) ? 1 : 3;
  return 4;
}
