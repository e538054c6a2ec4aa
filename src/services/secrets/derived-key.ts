// Keys that are made of the deployment's own secret: one for each purpose, and none tells anything of another.

import type { Settings } from "../../domain/settings/settings";

const utf8 = new TextEncoder();

/** What a deployment alone knows; `undefined` where its operator has set nothing of the kind. */
export function deploymentSecret({
  SECRETS_KEY,
  GATEWAY_ADMIN_KEY,
}: Pick<Settings, "SECRETS_KEY" | "GATEWAY_ADMIN_KEY">): string | undefined {
  return SECRETS_KEY ?? GATEWAY_ADMIN_KEY;
}

/** The key of this purpose (HKDF with SHA-256). `purpose` keeps keys of the same secret apart. */
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
