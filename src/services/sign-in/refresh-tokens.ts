// Derives each refresh token from the previous one: repeating an exchange returns the same successor, in any isolate and after any crash,
// without storing it.

import { encodeBase64Url } from "../../domain/base64";
import { hexOf, sha256Hex } from "../../domain/digest";
import { Recent } from "../../domain/recent";
import type { Settings } from "../../domain/settings/settings";
import { type RefreshToken, writeRefreshToken } from "../../domain/sign-in/tokens";
import { deriveKey } from "../secrets/derived-key";
import { keyIds } from "../secrets/encryption";

type KeySettings = Pick<Settings, "SECRETS_KEY" | "SECRETS_KEYS_PREVIOUS">;

/** A refresh token and its stored digest. */
export interface MadeRefresh {
  text: string;
  hash: string;
  /** Id of the deployment key that derived it. */
  derivedWith: string;
}

/** Bytes of the signature. */
const MARK = 16;
const utf8 = new TextEncoder();

/** A deployment has a current key and a few previous ones. */
const derived = new Recent<string, Promise<{ successor: CryptoKey; mark: CryptoKey }>>(16);

/** Returns the first refresh token of a grant. */
export async function firstRefresh(settings: KeySettings, grantId: string): Promise<MadeRefresh> {
  const secret = hexOf(crypto.getRandomValues(new Uint8Array(32)));
  return made(await currentSecret(settings), { grantId, secret, generation: 0 });
}

/**
 * Returns the successor of a refresh token, derived with the given key; `null` if this deployment no longer has that key.
 *
 * @param derivedWith default: the current key
 */
export async function successorOf(
  settings: KeySettings,
  token: RefreshToken,
  derivedWith?: string,
): Promise<MadeRefresh | null> {
  const from = derivedWith === undefined ? await currentSecret(settings) : await secretOf(settings, derivedWith);
  if (from === undefined) return null;
  const { successor } = await keysOf(from.text);
  const secret = hexOf(await signed(successor, [token.grantId, String(token.generation), token.secret]));
  return made(from, { grantId: token.grantId, secret, generation: token.generation + 1 });
}

/** Whether a key of this deployment created the token. Only then does its absence from the stored digests prove reuse. */
export async function isOwnRefresh(settings: KeySettings, token: RefreshToken): Promise<boolean> {
  const shown = utf8.encode(token.mark);
  for (const { text } of await secretsOf(settings)) {
    const expected = utf8.encode(await markOf((await keysOf(text)).mark, token));
    if (expected.byteLength === shown.byteLength && crypto.subtle.timingSafeEqual(expected, shown)) return true;
  }
  return false;
}

interface DeploymentKey {
  id: string;
  text: string;
}

async function made(from: DeploymentKey, token: Omit<RefreshToken, "mark">): Promise<MadeRefresh> {
  const { mark } = await keysOf(from.text);
  const text = writeRefreshToken({ ...token, mark: await markOf(mark, token) });
  return { text, hash: await sha256Hex(text), derivedWith: from.id };
}

async function markOf(key: CryptoKey, { grantId, generation, secret }: Omit<RefreshToken, "mark">): Promise<string> {
  return hexOf((await signed(key, [grantId, String(generation), secret])).subarray(0, MARK));
}

async function signed(key: CryptoKey, parts: readonly string[]): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8.encode(JSON.stringify(parts))));
}

/** Returns the deployment's keys, the current one first. Without one, the gateway's sign-in is disabled: `hasBuiltInSignIn`. */
async function secretsOf(settings: KeySettings): Promise<DeploymentKey[]> {
  const texts = [
    ...(settings.SECRETS_KEY === undefined ? [] : [settings.SECRETS_KEY]),
    ...settings.SECRETS_KEYS_PREVIOUS,
  ];
  const ids = await keyIds(settings);
  return texts.map((text, index) => ({ id: ids[index] ?? "", text }));
}

async function secretOf(settings: KeySettings, id: string): Promise<DeploymentKey | undefined> {
  return (await secretsOf(settings)).find((key) => key.id === id);
}

async function currentSecret(settings: KeySettings): Promise<DeploymentKey> {
  const [first] = await secretsOf(settings);
  if (first === undefined) throw new Error("no SECRETS_KEY");
  return first;
}

function keysOf(secret: string): Promise<{ successor: CryptoKey; mark: CryptoKey }> {
  const known = derived.get(secret);
  if (known !== undefined) return known;
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  const making = Promise.all([
    deriveKey(secret, "skill-gateway refresh token", hmac, ["sign"]),
    deriveKey(secret, "skill-gateway refresh token mark", hmac, ["sign"]),
  ]).then(([successor, mark]) => ({ successor, mark }));
  derived.set(secret, making);
  return making;
}

/** Returns the PKCE S256 challenge of a verifier. */
export async function challengeOf(verifier: string): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(verifier))));
}
