// Endorsements: a previous key of a gateway signs the id of the current one, so that a client that stored the previous key accepts the
// current one without asking a person.

import { decodeBase64, encodeBase64 } from "../base64";
import { type PublicSigningKey, signedBytes } from "./statement";
import { isSignedBy, thumbprintOf } from "./verify";

const ENDORSEMENT_TYPE = "application/vnd.skill-gateway.signing-key";

/** Returns the bytes that a previous key signs to endorse the key `kid`. No statement about a version has the same bytes. */
export function endorsedBytes(kid: string): Uint8Array {
  return signedBytes(new TextEncoder().encode(kid), ENDORSEMENT_TYPE);
}

/** Returns an endorsement by the key `keyid`. */
export function endorsementOf(keyid: string, signature: Uint8Array): { keyid: string; sig: string } {
  return { keyid, sig: encodeBase64(signature) };
}

/**
 * Returns the published keys that are stored, or that a stored key endorses, directly or through others.
 *
 * @param stored ids of keys
 */
export async function endorsedKeys(
  stored: readonly string[],
  published: readonly PublicSigningKey[],
): Promise<PublicSigningKey[]> {
  // An id that is not the thumbprint of its key could pose as a stored key.
  const real: PublicSigningKey[] = [];
  for (const key of published) if ((await thumbprintOf(key)) === key.kid) real.push(key);
  const accepted = new Map(real.flatMap((key) => (stored.includes(key.kid) ? [[key.kid, key]] : [])));
  for (let size = -1; size < accepted.size; ) {
    size = accepted.size;
    for (const key of real) if (!accepted.has(key.kid) && (await isEndorsed(key, accepted))) accepted.set(key.kid, key);
  }
  return real.filter(({ kid }) => accepted.has(kid));
}

async function isEndorsed(
  { kid, endorsements = [] }: PublicSigningKey,
  accepted: ReadonlyMap<string, PublicSigningKey>,
): Promise<boolean> {
  for (const { keyid, sig } of endorsements) {
    const by = accepted.get(keyid);
    if (by !== undefined && (await isSignedBy(by, decodeBase64(sig), endorsedBytes(kid)))) return true;
  }
  return false;
}
