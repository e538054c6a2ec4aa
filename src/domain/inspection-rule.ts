// The rules of the inspection, one entry each. Every pattern is bounded in what it looks at from a place, so that no text is slow.

import type { Severity } from "./errors";
import { INSPECTION_LIMITS } from "./limits";

export interface Match {
  /** Where in the text, in code units. */
  at: number;
  message: string;
  /** Where one match weighs more than its rule. */
  severity?: Severity;
}

export interface Rule {
  code: string;
  severity: Severity;
  /** Which files it looks at; all without it. */
  applies?: (path: string) => boolean;
  find(text: string): Match[];
}

/** Characters that reorder what a reader sees. */
const BIDI = /[\u202A-\u202E\u2066-\u2069]/g;
/** Characters that nobody sees, inside of words that have no use for them. */
const ZERO_WIDTH = /[\u2060\u180E]|(?<=[\x21-\x7E])[\u200B-\u200D\uFEFF]+(?=[\x21-\x7E])/g;
/** A copy of ASCII that nobody sees. Flags of regions are made of it, after a black flag. */
const TAGS = /(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,8})[\u{E0001}-\u{E007F}]{2,64}/gu;
/** One selects the form of the character before it; many in a row say something else. */
const SELECTORS = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{4,64}/gu;

const SHELL =
  "(?:sudo\\s{1,9})?(?:ba|z|da|k|a)?sh\\b|(?:sudo\\s{1,9})?(?:python[23]?|node|perl|ruby|php)\\b(?!\\s{1,9}-m)";
const PIPED = new RegExp(`\\b(?:curl|wget)\\b[^|\\n]{1,500}\\|\\s{0,9}(?:${SHELL})`, "g");
const SUBSTITUTED =
  /\b(?:ba|z|da)?sh\s{1,9}(?:-\w{1,9}\s{1,9})?(?:<\(\s{0,9}|["']?\$\(\s{0,9})(?:curl|wget)\b|\beval\s{1,9}["']?\$\(\s{0,9}(?:curl|wget)\b/g;
const POWERSHELL =
  /\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString)\b[^|\n]{0,500}\|\s{0,9}(?:iex|Invoke-Expression)\b|\biex\s{0,9}\(/gi;
const DECODED = /\bbase64\s{1,9}(?:-d|-D|--decode)\b[^|\n]{0,200}\|\s{0,9}(?:sudo\s{1,9})?(?:ba|z|da)?sh\b/g;

const ENCODED = /[A-Za-z0-9+/]{240,}={0,2}|(?:\\x[0-9a-fA-F]{2}){60,}|\b[0-9a-fA-F]{400,}\b/g;
const EXECUTES =
  /\b(?:eval|exec|execSync|spawn|Function|atob|unescape|compile)\s{0,9}\(|\bchild_process\b|\bsubprocess\b|\bos\.system\b|\bb64decode\b|\bFromBase64String\b|\bbase64\s{1,9}(?:-d|--decode)\b/;

const CREDENTIALS: readonly [name: string, pattern: RegExp][] = [
  ["an AWS access key", /\bA(?:KIA|SIA)[A-Z0-9]{16}\b/g],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,80}|github_pat_[A-Za-z0-9_]{40,100})\b/g],
  ["a Slack token", /\bxox[abposr]-[A-Za-z0-9-]{12,100}\b/g],
  ["a Google API key", /\bAIza[A-Za-z0-9_-]{35}\b/g],
  ["an OpenAI or Anthropic key", /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,200}\b/g],
  ["a Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,100}\b/g],
  ["a key of this gateway", /\bsgw_[0-9A-Za-z]{4,40}_[0-9A-Za-z]{32,100}\b/g],
  ["a private key", /-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----/g],
  ["a JSON Web Token", /\beyJ[A-Za-z0-9_-]{16,2000}\.eyJ[A-Za-z0-9_-]{16,4000}\.[A-Za-z0-9_-]{16,1000}/g],
];
/** What documentation writes in place of a secret. */
const PLACEHOLDER = /example|sample|dummy|placeholder|your|xxxx|abcd|1234|\.\.\.|(.)\1{7}/i;

const COMMENT_ORDERS =
  /\b(?:ignore|disregard|forget)\b.{0,40}\b(?:previous|above|instructions?|rules?)\b|\bdo not (?:tell|mention|reveal|show|inform)\b|\bwithout (?:telling|asking|informing)\b|\b(?:secretly|silently)\b|\bsystem prompt\b/i;
const COMMENT_COMMANDS =
  /\b(?:you must|always|never|run|execute|call|send|upload|fetch|curl|assistant|the (?:model|agent|user))\b/i;

export const RULES: readonly Rule[] = [
  {
    code: "HIDDEN_BIDI",
    severity: "high",
    find: (text) => hidden(text, BIDI, "characters that reorder what a reader sees"),
  },
  {
    code: "HIDDEN_ZERO_WIDTH",
    severity: "low",
    find: (text) => hidden(text, ZERO_WIDTH, "characters without width inside a word"),
  },
  {
    code: "HIDDEN_TAGS",
    severity: "high",
    find: (text) => hidden(text, TAGS, "invisible tag characters, which models read as text"),
  },
  {
    code: "HIDDEN_SELECTORS",
    severity: "high",
    find: (text) => hidden(text, SELECTORS, "a run of variation selectors, which can carry hidden data"),
  },
  { code: "HIDDEN_COMMENT", severity: "info", applies: isMarkdown, find: comments },
  {
    code: "FETCH_AND_RUN",
    severity: "high",
    find: (text) =>
      /curl|wget|iex|Invoke-Expression|base64/i.test(text)
        ? [PIPED, SUBSTITUTED, POWERSHELL, DECODED].flatMap((pattern) =>
            all(text, pattern, () => "A command fetches or decodes code and runs it unseen."),
          )
        : [],
  },
  {
    code: "ENCODED_PAYLOAD",
    severity: "high",
    find: (text) =>
      EXECUTES.test(text)
        ? all(text, ENCODED, () => "Long encoded data stands beside code that decodes or executes.").filter(
            ({ at }) => !/data:[\w/+.-]{1,60};base64,$/.test(text.slice(Math.max(0, at - 80), at)),
          )
        : [],
  },
  {
    code: "CREDENTIAL",
    severity: "high",
    find: (text) =>
      CREDENTIALS.flatMap(([name, pattern]) =>
        all(text, pattern, (found) =>
          PLACEHOLDER.test(found) ? null : `This looks like ${name} (${found.slice(0, 4)}…).`,
        ),
      ),
  },
];

function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown|mdx)$/i.test(path);
}

/** Text that is not plain ASCII is the exception, and only that is looked at closely. */
function hidden(text: string, pattern: RegExp, what: string): Match[] {
  if (!/\P{ASCII}/u.test(text)) return [];
  return all(text, pattern, () => `There are ${what}.`);
}

/** Instructions in HTML comments: a model reads them, a reader of the rendered page does not. */
function comments(text: string): Match[] {
  const matches: Match[] = [];
  for (let at = text.indexOf("<!--"); at >= 0; ) {
    const end = text.indexOf("-->", at + 4);
    const comment = text.slice(at + 4, end < 0 ? text.length : end).slice(0, INSPECTION_LIMITS.commentChars);
    if (COMMENT_ORDERS.test(comment))
      matches.push({ at, message: "An HTML comment gives orders that a reader does not see.", severity: "high" });
    else if (comment.length > 40 && COMMENT_COMMANDS.test(comment))
      matches.push({ at, message: "An HTML comment holds text that a model reads and a reader does not see." });
    at = end < 0 ? -1 : text.indexOf("<!--", end + 3);
  }
  return matches;
}

function all(text: string, pattern: RegExp, say: (found: string) => string | null): Match[] {
  const matches: Match[] = [];
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const message = say(found);
    if (message !== null) matches.push({ at: index, message });
  }
  return matches;
}
