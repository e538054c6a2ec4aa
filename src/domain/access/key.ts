// The format of API keys: `sgw_<id>_<secret><checksum>`. The checksum distinguishes a mistyped key from an unknown one without a lookup,
// and helps secret scanners. Keys of the first format have none.

import { crc32 } from "../crc32";
import { hexOf } from "../digest";

const KEY = /^sgw_([0-9A-Za-z]{4,40})_[0-9a-f]{64}([0-9a-f]{8})?$/;

/** Returns a key with this id and these 32 random bytes. */
export function writeKey(id: string, random: Uint8Array): string {
  const secret = hexOf(random);
  const key = `sgw_${id}_${secret}`;
  return key + checksumOf(key);
}

/** Returns the id of a key, `"mistyped"` if its checksum is wrong, or `null` if the text is not a key. */
export function readKeyId(text: string): string | "mistyped" | null {
  const [, id, checksum] = KEY.exec(text) ?? [];
  if (id === undefined) return null;
  return checksum === undefined || checksum === checksumOf(text.slice(0, -checksum.length)) ? id : "mistyped";
}

function checksumOf(text: string): string {
  return crc32(new TextEncoder().encode(text)).toString(16).padStart(8, "0");
}
