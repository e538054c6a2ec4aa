// Derives independent keys from the deployment's secret, one per purpose.

import type { Settings } from "../../domain/settings/settings";

const utf8 = new TextEncoder();

/** Returns the deployment's secret; `undefined` if the operator has set none. */
export function deploymentSecret({
  SECRETS_KEY,
  GATEWAY_ADMIN_KEY,
}: Pick<Settings, "SECRETS_KEY" | "GATEWAY_ADMIN_KEY">): string | undefined {
  return SECRETS_KEY ?? GATEWAY_ADMIN_KEY;
}

/** Returns the key for a purpose (HKDF with SHA-256). */
export async function deriveKey(
  secret: string,
  purpose: string,
  algorithm: SubtleCryptoImportKeyAlgorithm,
  usages: string[],
): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", utf8.encode(secret), "HKDF", false, ["deriveKey"]);
  const from = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: utf8.encode(purpose) };
  return crypto.subtle.deriveKey(from, base, algorithm, false, usages);
}

/** Returns bytes for a purpose (HKDF with SHA-256). */
export async function deriveBytes(secret: string, purpose: string, length: number): Promise<Uint8Array> {
  const base = await crypto.subtle.importKey("raw", utf8.encode(secret), "HKDF", false, ["deriveBits"]);
  const from = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: utf8.encode(purpose) };
  return new Uint8Array(await crypto.subtle.deriveBits(from, base, length * 8));
}
