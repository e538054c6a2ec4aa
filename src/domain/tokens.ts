// What is counted without a tokenizer, and the one line that shows a skill before it is loaded.

import { PACKAGE_LIMITS } from "./limits";

/** The usual rule of thumb for English and code. Only files are estimated; instructions are counted (storage/tokenizer). */
export const BYTES_PER_TOKEN = 4;

/** An estimate of what reading a file costs, from its size alone, rounded up. Users see it marked as an estimate. */
export function estimateFileTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The catalog's line for a skill: level 1, the same bytes in the prompt, in a tool's description and for the token count. */
export function catalogLine(name: string, description: string): string {
  const listed = cut(oneLine(description), PACKAGE_LIMITS.listedDescriptionChars);
  return escapeSkillTags(`- **${oneLine(name)}**: ${listed}`);
}

/** The text on one line: every run of white space and control characters becomes one space, none at the ends. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/**
 * Makes `<skill>` and `</skill>` harmless, in any case and with white space or invisible characters inside, so that a skill's
 * text can neither open nor close the block it stands in. Only the angle brackets change.
 */
export function escapeSkillTags(text: string): string {
  // The slash stays inside the optional group: two blanks side by side would make a long run of spaces quadratic.
  return text.replace(/<((?:[\s\p{Cf}]*\/)?[\s\p{Cf}]*skill[\s\p{Cf}]*)>/giu, "&lt;$1&gt;");
}

/** At most `limit` code points; the last one is an ellipsis when something was cut. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = [...text];
  if (characters.length <= limit) return text;
  return `${characters
    .slice(0, limit - 1)
    .join("")
    .trimEnd()}…`;
}
