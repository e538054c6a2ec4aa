// Encrypts secrets at rest: AES-256-GCM with a deployment key, bound to the secret's scope and name.

import { decodeBase64, encodeBase64 } from "../../domain/base64";
import { hexOf, sha256Hex } from "../../domain/digest";
import { GatewayError } from "../../domain/errors";
import { Recent } from "../../domain/recent";
import type { Settings } from "../../domain/settings/settings";

/** A ciphertext with the id of its key. Base64. */
export interface Sealed {
  keyId: string;
  iv: string;
  ciphertext: string;
}

interface VaultKey {
  id: string;
  key: CryptoKey;
}

type KeySettings = Pick<Settings, "SECRETS_KEY" | "SECRETS_KEYS_PREVIOUS">;

/** A deployment has a current key and a few previous ones. */
const imported = new Recent<string, Promise<VaultKey>>(16);

/** Encrypts with the current key. A row copied to another scope or name cannot be decrypted. */
export async function seal(
  settings: KeySettings,
  place: { scope: string; name: string },
  value: string,
): Promise<Sealed> {
  const { id, key } = await currentKey(settings);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(value);
  const made = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: boundTo(place) }, key, plain);
  return { keyId: id, iv: encodeBase64(iv), ciphertext: encodeBase64(new Uint8Array(made)) };
}

/** Returns the value, or `null` if no key of this deployment encrypted it or it was modified. */
export async function unseal(
  settings: KeySettings,
  place: { scope: string; name: string },
  sealed: Sealed,
): Promise<string | null> {
  const found = (await vaultKeys(settings)).find((candidate) => candidate.id === sealed.keyId);
  if (found === undefined) return null;
  try {
    const parameters = { name: "AES-GCM", iv: decodeBase64(sealed.iv), additionalData: boundTo(place) };
    const plain = await crypto.subtle.decrypt(parameters, found.key, decodeBase64(sealed.ciphertext));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plain);
  } catch {
    // WebCrypto reports no details.
    return null;
  }
}

/** Returns the id of the current key. Throws `unavailable` if there is none. */
export async function currentKeyId(settings: KeySettings): Promise<string> {
  return (await currentKey(settings)).id;
}

/** Returns the ids of all keys that decrypt here. An id is a fingerprint that does not reveal the key. */
export async function keyIds(settings: KeySettings): Promise<string[]> {
  return (await vaultKeys(settings)).map(({ id }) => id);
}

/** Returns an HMAC-SHA-256 in hex with a deployment key: equal for equal texts, and otherwise reveals nothing. */
export async function fingerprint(settings: KeySettings, text: string): Promise<string> {
  if (settings.SECRETS_KEY === undefined) return sha256Hex(text);
  const usage = { name: "HMAC", hash: "SHA-256" };
  const bytes = new TextEncoder().encode(`fingerprint ${settings.SECRETS_KEY}`);
  const key = await crypto.subtle.importKey("raw", bytes, usage, false, ["sign"]);
  const made = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
  return hexOf(made);
}

function currentKey({ SECRETS_KEY }: KeySettings): Promise<VaultKey> {
  if (SECRETS_KEY !== undefined) return vaultKey(SECRETS_KEY);
  const message = "Secrets cannot be stored. The operator must set SECRETS_KEY to 32 random bytes in base64.";
  throw new GatewayError("unavailable", "SECRETS_UNAVAILABLE", message);
}

function vaultKeys({ SECRETS_KEY, SECRETS_KEYS_PREVIOUS }: KeySettings): Promise<VaultKey[]> {
  return Promise.all([...(SECRETS_KEY === undefined ? [] : [SECRETS_KEY]), ...SECRETS_KEYS_PREVIOUS].map(vaultKey));
}

function vaultKey(text: string): Promise<VaultKey> {
  const known = imported.get(text);
  if (known !== undefined) return known;
  const made = importKey(text);
  imported.set(text, made);
  return made;
}

async function importKey(text: string): Promise<VaultKey> {
  const bytes = decodeBase64(text);
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  return { id: (await sha256Hex(bytes)).slice(0, 16), key };
}

function boundTo({ scope, name }: { scope: string; name: string }): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([scope, name]));
}
