// Pseudonyms for conversations and skills in the operator's log: stable, and not guessable.

import { hexOf } from "../../domain/digest";
import type { Settings } from "../../domain/settings/settings";
import { deploymentSecret, deriveKey } from "./derived-key";

/** The subject of a log line. A conversation is identified together with its user. */
export type LogSubject = { conversation: string; userId: string } | { skill: string };

/** Enough to distinguish billions of subjects. */
const BYTES = 8;
const utf8 = new TextEncoder();

let latest: { secret: string; key: Promise<CryptoKey> } | null = null;

/**
 * Returns the pseudonym, computed with a deployment key: ids are often guessable, so a plain digest could be looked up. Returns `null`
 * without a deployment secret, because a key per isolate would give different pseudonyms.
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
