// Signs versions with a key that is derived from the deployment's SECRETS_KEY, so that there is one key to store and to rotate.

import { endorsedBytes, endorsementOf } from "../../domain/attestation/endorsement";
import type { Envelope, SignedFacts } from "../../domain/attestation/statement";
import { PAYLOAD_TYPE, signedBytes, statementOf } from "../../domain/attestation/statement";
import { thumbprintOf, verifyEnvelope } from "../../domain/attestation/verify";
import { decodeBase64, encodeBase64 } from "../../domain/base64";
import { Recent } from "../../domain/recent";
import type { Settings } from "../../domain/settings/settings";
import type { Database } from "../../storage/d1/database";
import { attestationsUnderKeys, putAttestation } from "../../storage/d1/registry/attestations";
import { deriveBytes } from "./derived-key";

type KeySettings = Pick<Settings, "SECRETS_KEY" | "SECRETS_KEYS_PREVIOUS">;

/** A public key as it is published. */
export interface PublicKey {
  kty: "OKP";
  crv: "Ed25519";
  kid: string;
  x: string;
  use: "sig";
  alg: "EdDSA";
  /** Signatures of the previous keys over this key's id. Only the current key has them. */
  endorsements?: { keyid: string; sig: string }[];
}

interface KeyPair {
  private: CryptoKey;
  public: PublicKey;
}

/** A deployment has a current key and a few previous ones. */
const pairs = new Recent<string, Promise<KeyPair>>(16);

/** Returns the signed statement about a version, or `null` if the operator has set no SECRETS_KEY. */
export async function signVersion({ SECRETS_KEY }: KeySettings, facts: SignedFacts): Promise<Envelope | null> {
  if (SECRETS_KEY === undefined) return null;
  return sign(await pairOf(SECRETS_KEY), JSON.stringify(statementOf(facts)));
}

/** Returns the keys whose signatures are valid: the current one first, then the previous ones. */
export async function publicKeys({ SECRETS_KEY, SECRETS_KEYS_PREVIOUS }: KeySettings): Promise<PublicKey[]> {
  const secrets = [...(SECRETS_KEY === undefined ? [] : [SECRETS_KEY]), ...SECRETS_KEYS_PREVIOUS];
  const [current, ...previous] = await Promise.all([...new Set(secrets)].map(pairOf));
  if (current === undefined) return [];
  const endorsements = await Promise.all(
    previous.map(async (pair) =>
      endorsementOf(pair.public.kid, await signBytes(pair, endorsedBytes(current.public.kid))),
    ),
  );
  const first = endorsements.length === 0 ? current.public : { ...current.public, endorsements };
  return [first, ...previous.map((pair) => pair.public)];
}

/** Returns the same statement, signed with the current key. */
async function signAgain({ SECRETS_KEY }: KeySettings, { payload }: Envelope): Promise<Envelope | null> {
  if (SECRETS_KEY === undefined) return null;
  return sign(await pairOf(SECRETS_KEY), new TextDecoder().decode(decodeBase64(payload)));
}

/**
 * Signs some of the statements under previous keys with the current key, if their signature is valid. Returns how many were signed, and how
 * many were under previous keys.
 */
export async function signUnderCurrentKey(
  db: Database,
  settings: KeySettings,
  limit: number,
): Promise<{ signed: number; count: number }> {
  const keys = await publicKeys(settings);
  const previous = keys.slice(1).map(({ kid }) => kid);
  if (previous.length === 0) return { signed: 0, count: 0 };
  const { rows, count } = await attestationsUnderKeys(db, previous, limit);
  let signed = 0;
  for (const { versionId, keyId, envelope } of rows) {
    // It was changed. It stays, and clients refuse it.
    if ("problem" in (await verifyEnvelope(envelope, keys))) continue;
    const next = await signAgain(settings, envelope);
    if (next === null) continue;
    await putAttestation(db, versionId, next, keyId);
    signed++;
  }
  return { signed, count };
}

async function sign(pair: KeyPair, text: string): Promise<Envelope> {
  const bytes = new TextEncoder().encode(text);
  const sig = encodeBase64(await signBytes(pair, signedBytes(bytes)));
  return { payloadType: PAYLOAD_TYPE, payload: encodeBase64(bytes), signatures: [{ keyid: pair.public.kid, sig }] };
}

async function signBytes(pair: KeyPair, bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("Ed25519", pair.private, new Uint8Array(bytes)));
}

function pairOf(secret: string): Promise<KeyPair> {
  const known = pairs.get(secret);
  if (known !== undefined) return known;
  const made = makePair(secret);
  pairs.set(secret, made);
  return made;
}

/** The start of a private key in PKCS #8 (RFC 8410, section 7), before its 32 bytes. */
const PKCS8 = decodeBase64("MC4CAQAwBQYDK2VwBCIEIA==");

async function makePair(secret: string): Promise<KeyPair> {
  const seed = await deriveBytes(secret, "signatures of versions", 32);
  const key = await crypto.subtle.importKey("pkcs8", new Uint8Array([...PKCS8, ...seed]), "Ed25519", true, ["sign"]);
  const exported = await crypto.subtle.exportKey("jwk", key);
  if (!("x" in exported) || exported.x === undefined) throw new Error("a key has no public part");
  const { x } = exported;
  const point = { kty: "OKP", crv: "Ed25519", x } as const;
  return { private: key, public: { ...point, kid: await thumbprintOf(point), use: "sig", alg: "EdDSA" } };
}
