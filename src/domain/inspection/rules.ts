// The rules of the inspection, one entry each. Every pattern reads a limited number of characters from each position, so that no text is
// slow to inspect.

import type { Severity } from "../errors";
import type { Match } from "./finding";
import { downloadAndRunPatterns, pasteAndRunPatterns } from "./social-engineering";

export interface Rule {
  code: string;
  severity: Severity;
  /** Files that the rule inspects; absent: all. */
  applies?: (path: string) => boolean;
  /** The rule concerns characters outside ASCII, which most files do not have. */
  isBeyondAscii?: true;
  /** Yields matches in text order. The reader stops when it has enough. */
  find(text: string): Iterable<Match>;
}

/** Characters that reorder what a reader sees. */
const BIDI = /[\u202A-\u202E\u2066-\u2069]/g;
/** Invisible characters inside words that do not need them, or too many in a row for any script. */
const ZERO_WIDTH =
  /[\u2060\u180E]|(?<=[\x21-\x7E])[\u200B-\u200D\uFEFF]{1,64}(?=[\x21-\x7E])|[\u200B-\u200D\u2061-\u2064\uFEFF]{8,64}/g;
/** Invisible copies of ASCII characters. Flags of regions use them after a black flag. */
const TAGS = /(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,8})[\u{E0001}-\u{E007F}]{2,64}/gu;
/** One selects the form of the preceding character; many in a row encode data. */
const SELECTORS = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{4,64}/gu;

/** Programs that run piped code. `python -m json.tool` and similar only read it. */
const RUNNER =
  /\|\s{0,9}(?:sudo\s{1,9})?(?:(?:ba|z|da|k|a)?sh|(?:python[23]?|node|perl|ruby|php)\b(?!\s{1,9}-m)|iex|Invoke-Expression)\b/gi;
/** Programs that download or decode code, before the pipe in a line. */
const FETCHER =
  /\b(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString)\b|\bbase64\s{1,9}(?:-d|-D|--decode)\b/i;
const FETCHER_CHARS = 500;
/** Process or command substitution with a download. Patterns start with a rare character and look back from there. */
const SUBSTITUTED = /[<$]\(\s{0,9}(?:curl|wget)\b/g;
const SHELL_BEFORE = /\b(?:(?:ba|z|da)?sh\s{1,9}(?:-\w{1,9}\s{1,9})?|eval\s{1,9})["']?$/;
const EVALUATED = /\(\s{0,9}(?:New-Object|iwr|irm|Invoke-)/gi;
const IEX_BEFORE = /\biex\s{0,9}\(?$/i;
const INLINE = /\s-[cer]\s[^\n]{0,400}/g;
const INTERPRETER_BEFORE = /\b(?:python[23]?|node|perl|ruby|php)$/;
const INLINE_FETCHES =
  /(?:urlopen|urllib|requests\.get|\bfetch\(|file_get_contents|open-uri).*\b(?:exec|eval)\b|\b(?:exec|eval)\b.*(?:urlopen|urllib|requests\.get|\bfetch\(|file_get_contents|open-uri)/;

/** Each match starts where such data can start and nowhere inside, so that a text is read once. */
const ENCODED = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{240,2000}|(?<!\\x[0-9a-fA-F]{2})(?:\\x[0-9a-fA-F]{2}){60,500}/g;
/** Functions that decode or run their argument. */
const EXECUTES = /\((?<=\b(?:eval|exec|execSync|spawn|Function|atob|unescape|compile)\s{0,3}\()/;
const DATA_URL = /data:[\w/+.-]{1,60};base64,$/;
/** Matches the rare beginning, so that most texts are searched quickly. */
const EXECUTORS = ["_process", "bprocess", ".system", "64decode", "FromBase64", "64 -d", "64 --d"];

/** Each with its beginning; `rare` is a character of it that few texts contain. */
const CREDENTIALS: readonly { name: string; rare: string; hints: readonly string[]; pattern: RegExp }[] = [
  { name: "an AWS access key", rare: "A", hints: ["AKIA", "ASIA"], pattern: /\bA(?:KIA|SIA)[A-Z0-9]{16}\b/g },
  {
    name: "a GitHub token",
    rare: "_",
    hints: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,80}|github_pat_[A-Za-z0-9_]{40,100})\b/g,
  },
  { name: "a Slack token", rare: "-", hints: ["xox"], pattern: /(?<![\w-])xox[abposr]-[A-Za-z0-9-]{12,100}\b/g },
  { name: "a Google API key", rare: "A", hints: ["AIza"], pattern: /(?<![\w-])AIza[A-Za-z0-9_-]{35}\b/g },
  {
    name: "an OpenAI or Anthropic key",
    rare: "-",
    hints: ["sk-"],
    pattern: /(?<![\w-])sk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,200}\b/g,
  },
  { name: "a Stripe key", rare: "_", hints: ["_live_"], pattern: /\b[rs]k_live_[A-Za-z0-9]{20,100}\b/g },
  {
    name: "a key of this gateway",
    rare: "_",
    hints: ["sgw_"],
    pattern: /\bsgw_[0-9A-Za-z]{4,40}_[0-9A-Za-z]{32,100}\b/g,
  },
  {
    name: "a private key",
    rare: "-",
    hints: ["-----BEGIN "],
    pattern: /-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----/g,
  },
  {
    name: "a JSON Web Token",
    rare: "J",
    hints: ["eyJ"],
    pattern: /(?<![\w-])eyJ[A-Za-z0-9_-]{16,2000}\.eyJ[A-Za-z0-9_-]{16,4000}\.[A-Za-z0-9_-]{16,1000}/g,
  },
];
/** An assigned value, and the name of a secret right before it. */
const ASSIGNED = /[:=]\s{0,5}["']?([A-Za-z0-9+/_-]{20,120})(?![\w+/.($-])/g;
const SECRET_NAME = /(?:api[_-]?key|secret|token(?!iz)|passw(?:or)?d)[\w-]{0,20}["']?\s{0,5}$/i;
/** Matches a part of a value that is a word. */
const WORD = /(?:^|[-_/])[a-z]{4,}(?:$|[-_/])/i;
/** Placeholders that documentation uses for a secret. */
const PLACEHOLDER = /example|sample|dummy|placeholder|your|xxxx|abcd|1234|\.\.\.|(.)\1{7}/i;

const COMMENT_ORDERS =
  /\b(?:ignore|disregard|forget)\b.{0,40}\b(?:previous|above|instructions?|rules?)\b|\bdo not (?:tell|mention|reveal|show|inform)\b|\bwithout (?:telling|asking|informing)\b|\bsecretly\b/i;
const COMMENT_COMMANDS =
  /\b(?:you must|always|never|run|execute|call|send|upload|fetch|curl|assistant|silently|system prompt|the (?:model|agent|user))\b/i;

export const RULES: readonly Rule[] = [
  {
    code: "HIDDEN_BIDI",
    severity: "high",
    isBeyondAscii: true,
    find: (text) => hidden(text, BIDI, "characters that change the displayed order of text"),
  },
  {
    code: "HIDDEN_ZERO_WIDTH",
    severity: "low",
    isBeyondAscii: true,
    find: (text) => hidden(text, ZERO_WIDTH, "zero-width characters inside a word"),
  },
  {
    code: "HIDDEN_TAGS",
    severity: "high",
    isBeyondAscii: true,
    find: (text) => hidden(text, TAGS, "invisible tag characters that models read as text"),
  },
  {
    code: "HIDDEN_SELECTORS",
    severity: "high",
    isBeyondAscii: true,
    find: (text) => hidden(text, SELECTORS, "a run of variation selectors, which can carry hidden data"),
  },
  { code: "HIDDEN_COMMENT", severity: "info", applies: isMarkdown, find: comments },
  { code: "FETCH_AND_RUN", severity: "high", find: fetchedAndRun },
  { code: "DOWNLOAD_AND_RUN", severity: "high", applies: isProse, find: downloadAndRunPatterns },
  { code: "PASTE_AND_RUN", severity: "high", applies: isProse, find: pasteAndRunPatterns },
  { code: "ENCODED_PAYLOAD", severity: "high", find: payloads },
  { code: "CREDENTIAL", severity: "high", find: credentials },
  {
    code: "CREDENTIAL_LIKELY",
    severity: "low",
    find: (text) =>
      all(text, ASSIGNED, (_, at, value) =>
        isRandom(value) && isAfter(text, at, SECRET_NAME)
          ? `A variable named like a secret has a literal value (${value.slice(0, 4)}…). Use a stored secret instead.`
          : null,
      ),
  },
];

function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown|mdx)$/i.test(path);
}

/** Whether people and models read the file as instructions. */
function isProse(path: string): boolean {
  return /\.(?:md|markdown|mdx|txt|rst|html?)$/i.test(path) || !/\.[^/]*$/.test(path);
}

function hidden(text: string, pattern: RegExp, what: string): Iterable<Match> {
  return all(text, pattern, () => `The file contains ${what}.`);
}

/** Instructions in HTML comments: models read them, but readers of the rendered page do not see them. */
function* comments(text: string): Iterable<Match> {
  for (let at = text.indexOf("<!--"); at >= 0; ) {
    const end = text.indexOf("-->", at + 4);
    const comment = text.slice(at + 4, end < 0 ? text.length : end);
    if (COMMENT_ORDERS.test(comment))
      yield { at, message: "An HTML comment contains instructions that a reader does not see.", severity: "high" };
    else if (comment.length > 40 && COMMENT_COMMANDS.test(comment))
      yield { at, message: "An HTML comment contains text that a model reads but a reader does not see." };
    at = end < 0 ? -1 : text.indexOf("<!--", end + 3);
  }
}

/** Finds pipes into a program that runs code, starting at the pipe. */
function* fetchedAndRun(text: string): Iterable<Match> {
  const message = "A command downloads or decodes code and runs it without showing it.";
  // Most texts contain none of these characters and are skipped quickly.
  for (const { index } of text.includes("|") ? text.matchAll(RUNNER) : []) {
    const before = text.slice(Math.max(0, index - FETCHER_CHARS), index);
    const part = before.slice(1 + Math.max(before.lastIndexOf("|"), before.lastIndexOf("\n")));
    if (FETCHER.test(part)) yield { at: index, message };
  }
  if (text.includes("(")) {
    yield* all(text, SUBSTITUTED, (_, at) => (isAfter(text, at, SHELL_BEFORE) ? message : null));
    yield* all(text, EVALUATED, (_, at) => (isAfter(text, at, IEX_BEFORE) ? message : null));
  }
  if (!text.includes("-") || !/-[cer]\s/.test(text)) return;
  yield* all(text, INLINE, (command, at) =>
    isAfter(text, at, INTERPRETER_BEFORE) && INLINE_FETCHES.test(command) ? message : null,
  );
}

function* payloads(text: string): Iterable<Match> {
  if (!(text.includes("(") && EXECUTES.test(text)) && !EXECUTORS.some((name) => text.includes(name))) return;
  yield* all(text, ENCODED, (_, at) =>
    isAfter(text, at, DATA_URL) ? null : "Long encoded data is next to code that decodes or runs it.",
  );
}

function* credentials(text: string): Iterable<Match> {
  for (const { name, rare, hints, pattern } of CREDENTIALS)
    if (text.includes(rare) && hints.some((hint) => text.includes(hint)))
      yield* all(text, pattern, (found) =>
        PLACEHOLDER.test(found) ? null : `This looks like ${name} (${found.slice(0, 4)}…).`,
      );
}

/** Whether a value contains a random mix of letters and digits. */
function isRandom(value: string): boolean {
  if (PLACEHOLDER.test(value) || WORD.test(value)) return false;
  if (!/\d.*\d.*\d/.test(value) || !/[a-z]/i.test(value)) return false;
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits > 3.5;
}

/** Whether the text before a position ends like this. */
function isAfter(text: string, at: number, ending: RegExp): boolean {
  return ending.test(text.slice(Math.max(0, at - 80), at));
}

/** `say` describes a match, or returns `null` to ignore it; `inner` is the first group. */
function* all(
  text: string,
  pattern: RegExp,
  say: (found: string, at: number, inner: string) => string | null,
): Iterable<Match> {
  for (const { 0: found, 1: inner = "", index } of text.matchAll(pattern)) {
    const message = say(found, index, inner);
    if (message !== null) yield { at: index, message };
  }
}

/** Matches what may be a secret: a long text without spaces. */
const LONG_VALUE = /[A-Za-z0-9+/_=.-]{16,}/g;
/** A value behind the name of a secret, however short. */
const NAMED_VALUE = /((?:api[_-]?key|secret|token|passw(?:or)?d|bearer)\b["']?\s{0,5}(?:[:=]|is)?\s{0,5}["']?)\S{6,}/gi;

/** Returns a short text without credentials and random values. */
export function redactedCredentials(text: string): string {
  const known = CREDENTIALS.reduce((left, { pattern }) => left.replace(pattern, "[removed]"), text);
  return known
    .replace(NAMED_VALUE, "$1[removed]")
    .replace(LONG_VALUE, (value) =>
      /\d/.test(value) && /[A-Za-z]/.test(value) && isRandom(value) ? "[removed]" : value,
    );
}
