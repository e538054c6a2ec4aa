// Writes HTML: a template tag that escapes every value, and texts of other users with their invisible characters shown.

import { encodeBase64 } from "../domain/base64";

/** HTML that is constant or escaped. */
export class Html {
  constructor(readonly text: string) {}
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A template tag for HTML: escapes values that are not HTML, and omits `null`. */
export function html(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[] | null)[]
): Html {
  const parts = texts.map((text, at) => text + written(values[at] ?? null));
  return new Html(parts.join(""));
}

function written(value: string | number | Html | readonly Html[] | null): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value).replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}

/** The same characters as in `console/src/parts/text.tsx`. */
const UNSEEN =
  /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|(?![\t\n\r\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** Returns the text with a visible escape for each invisible character: `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(UNSEEN, (unseen) => `⟨U+${(unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Writes a name or a line of another user. Its writing direction does not affect the text around it. */
export function plain(text: string): Html {
  return html`<bdi>${visibleText(text)}</bdi>`;
}

/** Returns the source expression of a content security policy that allows exactly this inline style or script. */
export async function hashSource(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${encodeBase64(new Uint8Array(digest))}'`;
}
