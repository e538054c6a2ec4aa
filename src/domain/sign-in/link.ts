// The format of sign-in link secrets: `sgl_` and 64 hexadecimal digits. The secret is part of the link's path and can also be typed.

import { hexOf } from "../digest";

const SECRET = /^(?:https?:\/\/[^\s?#]+\/oauth\/link\/)?(sgl_[0-9a-f]{64})$/;

export function writeLinkSecret(random: Uint8Array): string {
  return `sgl_${hexOf(random)}`;
}

/** Returns the secret in typed text: the secret itself, or a whole link. */
export function readLinkSecret(text: string): string | null {
  return SECRET.exec(text)?.[1] ?? null;
}
