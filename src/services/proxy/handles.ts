// Sealed handles: what a server gave out for one user, so that nobody else can use it, read it or make one up.

import { decodeBase64Url, encodeBase64Url } from "../../domain/base64";
import { GatewayError } from "../../domain/errors";
import type { Settings } from "../../domain/settings/settings";
import { deploymentSecret, deriveKey } from "../secrets/derived-key";

/** Whose a value is and where it belongs: a handle opens only under the same words. */
export type Binding = readonly string[];

interface Keys {
  mac: CryptoKey;
  cipher: CryptoKey;
}

const IV_BYTES = 12;
const utf8 = new TextEncoder();

/** Closes and opens handles. The same value under the same binding is the same handle. */
export class Handles {
  constructor(private readonly keys: Keys) {}

  /** The handle of a value: characters of base64url only. */
  async close(value: string, binding: Binding): Promise<string> {
    // The initial vector is made of the value itself: a session keeps its handle, and no two values share a vector.
    const whole = utf8.encode(JSON.stringify([...binding, value]));
    const iv = new Uint8Array(await crypto.subtle.sign("HMAC", this.keys.mac, whole)).slice(0, IV_BYTES);
    const sealed = await crypto.subtle.encrypt(algorithm(iv, binding), this.keys.cipher, utf8.encode(value));
    return encodeBase64Url(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
  }

  /** The value of a handle, or `null` when it is none, or one of another binding. */
  async open(handle: string, binding: Binding): Promise<string | null> {
    const bytes = decodeBase64Url(handle);
    if (bytes === null || bytes.byteLength <= IV_BYTES) return null;
    const { cipher } = this.keys;
    const sealed = bytes.slice(IV_BYTES);
    const opened = await crypto.subtle.decrypt(algorithm(bytes.slice(0, IV_BYTES), binding), cipher, sealed).then(
      (value) => new TextDecoder().decode(value),
      () => null,
    );
    return opened;
  }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, binding: Binding) {
  return { name: "AES-GCM", iv, additionalData: utf8.encode(JSON.stringify(binding)) };
}

let latest: { secret: string; seal: Promise<Handles> } | null = null;

/**
 * The seal of this deployment: its keys are derived from `SECRETS_KEY`, else from the first admin key. A change of that secret
 * ends every handle. Throws `unavailable` where there is neither, since a seal that every isolate made up would not hold.
 */
export function handlesOf(settings: Settings): Promise<Handles> {
  const secret = deploymentSecret(settings);
  if (secret === undefined) {
    throw new GatewayError(
      "unavailable",
      "SECRETS_UNAVAILABLE",
      "This MCP server uses sessions, which need a secret. The operator must set SECRETS_KEY.",
    );
  }
  if (latest?.secret !== secret) latest = { secret, seal: derive(secret) };
  return latest.seal;
}

async function derive(secret: string): Promise<Handles> {
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  const aes = { name: "AES-GCM", length: 256 };
  const [mac, cipher] = await Promise.all([
    deriveKey(secret, "skill-gateway handle vector", hmac, ["sign"]),
    deriveKey(secret, "skill-gateway handle cipher", aes, ["encrypt", "decrypt"]),
  ]);
  return new Handles({ mac, cipher });
}
