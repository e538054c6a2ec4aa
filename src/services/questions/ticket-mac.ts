// The gateway's own mark on a ticket. The edge checks it before it looks for the conversation. A made-up ticket must not reach an
// object, since looking for an object makes one.

import { decodeBase64Url, encodeBase64Url } from "../../domain/base64";
import { hexOf } from "../../domain/digest";
import type { ReadTicket } from "../../domain/questions/ticket";
import type { Settings } from "../../domain/settings/settings";
import { deploymentSecret, deriveKey } from "../secrets/derived-key";

const utf8 = new TextEncoder();

/** Where a deployment has no secret: what an isolate signs with it is good in that isolate only. Made when first used. */
let passing: string | null = null;
let latest: { secret: string; key: Promise<CryptoKey> } | null = null;

/** The mark for a ticket's body. */
export async function markTicket(settings: Settings, body: string): Promise<string> {
  const made = await crypto.subtle.sign("HMAC", await keyOf(settings), utf8.encode(body));
  return encodeBase64Url(new Uint8Array(made));
}

/** Whether this gateway made the ticket. Says nothing of whether it still counts. The comparison takes the same time for all. */
export async function isMarked(settings: Settings, { body, mark }: ReadTicket): Promise<boolean> {
  const bytes = decodeBase64Url(mark);
  return bytes !== null && crypto.subtle.verify("HMAC", await keyOf(settings), bytes, utf8.encode(body));
}

function keyOf(settings: Settings): Promise<CryptoKey> {
  const secret = deploymentSecret(settings) ?? passingSecret();
  if (latest?.secret !== secret) {
    const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
    latest = { secret, key: deriveKey(secret, "skill-gateway ticket", hmac, ["sign", "verify"]) };
  }
  return latest.key;
}

function passingSecret(): string {
  passing ??= hexOf(crypto.getRandomValues(new Uint8Array(32)));
  return passing;
}
