// The format of codes and tokens: `<kind>_<id>_<hex><checksum>`. As with keys, the checksum distinguishes mistyped from unknown ones
// without a lookup.

import { crc32 } from "../crc32";
import { hexOf } from "../digest";

/** A code, an access token, a refresh token, or a key of a trusted publisher. */
export type BearerKind = "sgc" | "sga" | "sgr" | "sgp";

const FORM = /^(sgc|sga|sgr|sgp)_([0-9A-Za-z]{4,40})_([0-9a-f]{64})(?:([0-9a-f]{8})([0-9a-f]{32}))?([0-9a-f]{8})$/;

/** A parsed refresh token. */
export interface RefreshToken {
  grantId: string;
  secret: string;
  /** Number of exchanges since the grant's first token. */
  generation: number;
  /** The signature of the other parts. */
  mark: string;
}

/** Returns a code, an access token or a key of a publisher for an id and 32 random bytes. */
export function writeBearer(kind: "sgc" | "sga" | "sgp", id: string, random: Uint8Array): string {
  return checked(`${kind}_${id}_${hexOf(random)}`);
}

/** Returns the id in a token of this kind; `null` if it is not valid. */
export function readBearer(kind: "sgc" | "sga" | "sgp", text: string): string | null {
  const found = read(text);
  return found?.kind === kind ? found.id : null;
}

export function writeRefreshToken({ grantId, secret, generation, mark }: RefreshToken): string {
  return checked(`sgr_${grantId}_${secret}${generation.toString(16).padStart(8, "0")}${mark}`);
}

/** Returns the parts of a refresh token; `null` if it is not valid. */
export function readRefreshToken(text: string): RefreshToken | null {
  const found = read(text);
  if (found === null || found.kind !== "sgr") return null;
  return {
    grantId: found.id,
    secret: found.secret,
    generation: Number.parseInt(found.generation, 16),
    mark: found.mark,
  };
}

function read(text: string) {
  const [, kind, id = "", secret = "", generation = "", mark = "", checksum] = FORM.exec(text) ?? [];
  if (kind === undefined || (kind === "sgr") !== (mark !== "")) return null;
  return checksum === checksumOf(text.slice(0, -8)) ? { kind, id, secret, generation, mark } : null;
}

function checked(text: string): string {
  return text + checksumOf(text);
}

function checksumOf(text: string): string {
  return crc32(new TextEncoder().encode(text)).toString(16).padStart(8, "0");
}
