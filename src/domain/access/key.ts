// How an API key is written: `sgw_<id>_<secret><checksum>`. The checksum tells a mistyped key from a foreign one without asking
// anybody, and lets scanners know a key of ours where they find one. Keys of the first kind have none.

import { crc32 } from "../crc32";
import { hexOf } from "../digest";

const KEY = /^sgw_([0-9A-Za-z]{4,40})_[0-9a-f]{64}([0-9a-f]{8})?$/;

/** A key of this id with these 32 random bytes. */
export function writeKey(id: string, random: Uint8Array): string {
  const secret = hexOf(random);
  const key = `sgw_${id}_${secret}`;
  return key + checksumOf(key);
}

/** The id in a key, `"mistyped"` when its checksum does not fit, `null` when it has not the form of a key. */
export function readKeyId(text: string): string | "mistyped" | null {
  const [, id, checksum] = KEY.exec(text) ?? [];
  if (id === undefined) return null;
  return checksum === undefined || checksum === checksumOf(text.slice(0, -checksum.length)) ? id : "mistyped";
}

function checksumOf(text: string): string {
  return crc32(new TextEncoder().encode(text)).toString(16).padStart(8, "0");
}
