// The format of link tokens: `sgl_<id>_<secret><checksum>`. As with keys, the checksum detects mistyped ones without a lookup.

import { crc32 } from "../crc32";
import { hexOf } from "../digest";

const TOKEN = /^sgl_([0-9A-Za-z]{4,40})_[0-9a-f]{64}([0-9a-f]{8})$/;

/** Returns the token for an id and 32 random bytes. */
export function writeLinkToken(id: string, random: Uint8Array): string {
  const token = `sgl_${id}_${hexOf(random)}`;
  return token + checksumOf(token);
}

/** Returns the id in a token; `null` if it is not a token. */
export function readLinkId(text: string): string | null {
  const [, id, checksum] = TOKEN.exec(text) ?? [];
  if (id === undefined || checksum === undefined) return null;
  return checksum === checksumOf(text.slice(0, -checksum.length)) ? id : null;
}

/** What a link reads: the creator's own skills, a group's, or named ones. */
export type LinkReads = "own" | `group:${string}` | "skills";

function checksumOf(text: string): string {
  return crc32(new TextEncoder().encode(text)).toString(16).padStart(8, "0");
}
