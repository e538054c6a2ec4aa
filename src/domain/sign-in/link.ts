// How the secret of a sign-in link is written: `sgl_` and 64 hex digits. It stands in the link's path, and may be typed in its place.

import { hexOf } from "../digest";

const SECRET = /^(?:https?:\/\/[^\s?#]+\/oauth\/link\/)?(sgl_[0-9a-f]{64})$/;

export function writeLinkSecret(random: Uint8Array): string {
  return `sgl_${hexOf(random)}`;
}

/** The secret in what somebody typed: itself, or a whole link. */
export function readLinkSecret(text: string): string | null {
  return SECRET.exec(text)?.[1] ?? null;
}
