// Finds texts that bring people or their agents to run unreviewed code: password-protected archives that scanners cannot read, and commands
// on paste sites. Several words near each other must match.

import type { Match } from "./finding";

const ARCHIVE = /\.(?:zip|rar|7z)\b/i;
const DOWNLOAD = /\bdownload/i;
const PASSWORD =
  /\bpass(?:word|phrase|code)?\s{0,3}(?:is\b|[:=`'"])|\bpassword[- ]protected\b|\b(?:extract|unzip|unpack|unrar)\w{0,4}\s{1,3}(?:it\s{1,3})?(?:using|with)\s{0,3}(?:the\s{1,3})?(?:pass|[:`'"])/i;
const RUN = /\b(?:run|execute|launch|open|start|install)\b/i;
const UNPACK = /\b(?:extract|unzip|unpack|unrar)/i;
const RUN_PROGRAM =
  /\b(?:run|execute|launch|open|start)\b[^\n]{0,60}(?:\b(?:executable|binary|installer|setup)\b|\.(?:exe|dmg|pkg|msi)\b)/i;

const PASTE_SITE =
  /\b(?:glot\.io|pastebin\.com|rentry\.(?:co|org)|hastebin\.com|paste\.(?:ee|rs)|dpaste\.(?:com|org)|termbin\.com|justpaste\.it|controlc\.com|snippet\.host|ix\.io|sprunge\.us)\b/i;
/** Endings of such hosts. The pattern starts with a rare character, so texts without it are skipped quickly. */
const SITE_ENDING = /\.(?:io|com?|org|ee|rs|it|host|us)\b/i;
const TO_TERMINAL =
  /\b(?:copy|paste|run|execute|enter)\b[^\n]{0,100}\b(?:terminal|powershell|command prompt|command line|console|shell)\b/i;
const LINK = /\bhttps?:\/\//i;
const COPIED = /\bcopy\b[^\n]{0,100}\b(?:command|script|code|snippet)\b/i;

/** Size of the window in which words must occur. Each window overlaps half of the next. */
const WINDOW = 800;

/** Matches archives to download, unpack and run. */
export function* downloadAndRunPatterns(text: string): Iterable<Match> {
  if (!ARCHIVE.test(text) || !DOWNLOAD.test(text)) return;
  yield* near(text, ARCHIVE, (part) => {
    if (!DOWNLOAD.test(part)) return null;
    if (PASSWORD.test(part) && RUN.test(part))
      return {
        message: "The text asks the reader to download a password-protected archive, unpack it and run its content.",
      };
    if (!UNPACK.test(part) || !RUN_PROGRAM.test(part)) return null;
    return {
      message: "The text asks the reader to download an archive, unpack it and run a program.",
      severity: "low",
    };
  });
}

/** Matches commands to copy from a page into a terminal. */
export function* pasteAndRunPatterns(text: string): Iterable<Match> {
  if (!(text.includes("://") || SITE_ENDING.test(text)) || !TO_TERMINAL.test(text)) return;
  yield* near(text, LINK_OR_SITE, (part) => {
    if (!TO_TERMINAL.test(part)) return null;
    if (PASTE_SITE.test(part)) return { message: "The text asks the reader to run a command from a paste site." };
    if (!LINK.test(part) || !COPIED.test(part)) return null;
    return { message: "The text asks the reader to copy a command from a web page into a terminal.", severity: "low" };
  });
}

const LINK_OR_SITE = new RegExp(`${LINK.source}|${PASTE_SITE.source}`, "i");

/** Checks each window around a mark. A match is reported once, not again for the next window. */
function* near(text: string, mark: RegExp, judge: (part: string) => Omit<Match, "at"> | null): Iterable<Match> {
  for (let at = 0; at < text.length; at += WINDOW / 2) {
    const part = text.slice(at, at + WINDOW);
    const found = mark.exec(part);
    const verdict = found === null ? null : judge(part);
    if (found === null || verdict === null) continue;
    yield { at: at + found.index, ...verdict };
    at += WINDOW / 2;
  }
}
