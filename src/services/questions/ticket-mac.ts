// Signs tickets. The edge verifies the signature before it looks up the conversation, because the lookup creates a Durable Object, which a
// forged ticket must not cause.

import { decodeBase64Url, encodeBase64Url } from "../../domain/base64";
import { hexOf } from "../../domain/digest";
import type { ReadTicket } from "../../domain/questions/ticket";
import type { Settings } from "../../domain/settings/settings";
import { deploymentSecret, deriveKey } from "../secrets/derived-key";

const utf8 = new TextEncoder();

/** Key of a deployment without a secret: its signatures are valid in one isolate only. Created on first use. */
let passing: string | null = null;
let latest: { secret: string; key: Promise<CryptoKey> } | null = null;

/** Returns the signature of a ticket's body. */
export async function markTicket(settings: Settings, body: string): Promise<string> {
  const made = await crypto.subtle.sign("HMAC", await keyOf(settings), utf8.encode(body));
  return encodeBase64Url(new Uint8Array(made));
}

/** Whether this gateway signed the ticket. Does not check whether it is still valid. Constant time. */
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
