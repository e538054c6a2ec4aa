// Sealed handles for values that a server gave to one user: nobody else can use, read or forge them.

import { decodeBase64Url, encodeBase64Url } from "../../domain/base64";
import { GatewayError } from "../../domain/errors";
import { Recent } from "../../domain/recent";
import type { Settings } from "../../domain/settings/settings";
import { deploymentSecret, deriveKey } from "../secrets/derived-key";

/** The user and place of a value. A handle opens only with the same binding. */
export type Binding = readonly string[];

interface Keys {
  mac: CryptoKey;
  cipher: CryptoKey;
}

const IV_BYTES = 12;
const utf8 = new TextEncoder();

/** Longer keys are not cached, so that the cache stays below 2 MB. */
const CACHED_KEY = 1_000;

/** Seals and opens handles. The same value with the same binding has the same handle. */
export class Handles {
  /** Values of opened handles by binding and handle: a client sends the handle of its session with every request. */
  readonly #opened = new Recent<string, string>(1_000);

  constructor(private readonly keys: Keys) {}

  /** Returns the handle of a value, in base64url characters. */
  async close(value: string, binding: Binding): Promise<string> {
    // The initialization vector is derived from the value: a session keeps its handle, and no two values share a vector.
    const whole = utf8.encode(JSON.stringify([...binding, value]));
    const iv = new Uint8Array(await crypto.subtle.sign("HMAC", this.keys.mac, whole)).slice(0, IV_BYTES);
    const sealed = await crypto.subtle.encrypt(algorithm(iv, binding), this.keys.cipher, utf8.encode(value));
    return encodeBase64Url(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
  }

  /** Returns the value of a handle, or `null` if it is invalid or has another binding. */
  async open(handle: string, binding: Binding): Promise<string | null> {
    const key = JSON.stringify([...binding, handle]);
    const before = this.#opened.get(key);
    if (before !== undefined) return before;
    const value = await this.#decrypted(handle, binding);
    if (value !== null && key.length <= CACHED_KEY) this.#opened.set(key, value);
    return value;
  }

  async #decrypted(handle: string, binding: Binding): Promise<string | null> {
    const bytes = decodeBase64Url(handle);
    if (bytes === null || bytes.byteLength <= IV_BYTES) return null;
    const { cipher } = this.keys;
    const sealed = bytes.slice(IV_BYTES);
    return crypto.subtle.decrypt(algorithm(bytes.slice(0, IV_BYTES), binding), cipher, sealed).then(
      (value) => new TextDecoder().decode(value),
      () => null,
    );
  }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, binding: Binding) {
  return { name: "AES-GCM", iv, additionalData: utf8.encode(JSON.stringify(binding)) };
}

let latest: { secret: string; seal: Promise<Handles> } | null = null;

/**
 * Returns the deployment's handles. Keys are derived from `SECRETS_KEY`, otherwise from the first admin key. Changing that secret
 * invalidates all handles. Throws `unavailable` if there is neither, because a key made up per isolate would not work in the others.
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
