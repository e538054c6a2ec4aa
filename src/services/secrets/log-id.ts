// How the operator's log names a conversation or a skill: the same every time, and nothing that one could look up or guess.

import { hexOf } from "../../domain/digest";
import type { Settings } from "../../domain/settings/settings";
import { deploymentSecret, deriveKey } from "./derived-key";

/** What a line of the log is about. Whose conversation it is belongs to its name. */
export type LogSubject = { conversation: string; userId: string } | { skill: string };

/** Enough to tell some billions apart. */
const BYTES = 8;
const utf8 = new TextEncoder();

let latest: { secret: string; key: Promise<CryptoKey> } | null = null;

/**
 * The name, made with a key of the deployment: ids are often guessable, and a plain digest of them could be looked up. `null` where
 * the deployment has no secret, since a key of one isolate would name nothing twice.
 */
export async function logIdOf(settings: Settings, subject: LogSubject): Promise<string | null> {
  const secret = deploymentSecret(settings);
  if (secret === undefined) return null;
  if (latest?.secret !== secret) {
    const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
    latest = { secret, key: deriveKey(secret, "skill-gateway log", hmac, ["sign"]) };
  }
  const name = "skill" in subject ? ["skill", subject.skill] : ["conversation", subject.userId, subject.conversation];
  const made = await crypto.subtle.sign("HMAC", await latest.key, utf8.encode(JSON.stringify(name)));
  return hexOf(new Uint8Array(made).subarray(0, BYTES));
}
