// Decodes bytes as text.

/** Returns the text of UTF-8 bytes without byte order mark; `null` if they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | null {
  return decode(bytes, false);
}

/** Returns the text of UTF-8 bytes including a byte order mark, so that it encodes to the same bytes; `null` if they are not UTF-8. */
export function exactText(bytes: Uint8Array): string | null {
  return decode(bytes, true);
}

/** Returns the text of a file that can be displayed; `null` if it is not UTF-8 or contains NUL. */
export function shownText(bytes: Uint8Array): string | null {
  return bytes.includes(0) ? null : utf8Text(bytes);
}

function decode(bytes: Uint8Array, ignoreBOM: boolean): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM }).decode(bytes);
  } catch {
    return null;
  }
}
