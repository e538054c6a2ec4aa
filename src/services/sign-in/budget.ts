// Limits what unauthenticated clients can cause to be stored or fetched.

import { dayOf } from "../../domain/access/quota";
import { rateLimited } from "../../domain/access/rate";
import { hexOf } from "../../domain/digest";
import { SIGN_IN_LIMITS, SIGN_IN_TIMES } from "../../domain/sign-in/limits";
import { counting } from "../../storage/d1/usage";
import { deploymentSecret, deriveKey } from "../secrets/derived-key";
import type { SignInContext } from "./context";

/** The client's address; `null` if the platform reports none, as on a local machine. */
export type Address = string | null;

const DAY_S = 24 * 60 * 60;

/** Counts a new client or a metadata document fetch: per address and hour, and in total per day. Throws `rate_limited`. */
export async function countUnknownClient(context: SignInContext, address: Address): Promise<void> {
  await takePerHour(context, "strangers", address, SIGN_IN_LIMITS.strangersOfAddress);
  const today = dayOf(context.now());
  const [all] = await counting(context.db, { subject: "sign-in", kind: "strangers", windowStart: today });
  if ((all?.count ?? 0) > SIGN_IN_LIMITS.strangersOfDay)
    throw rateLimited("sign-in", { requests: SIGN_IN_LIMITS.strangersOfDay, seconds: DAY_S });
}

/** Counts an opened page. */
export function countPageOpened(context: SignInContext, address: Address): Promise<void> {
  return takePerHour(context, "pages", address, SIGN_IN_LIMITS.pagesOfAddress);
}

async function takePerHour(context: SignInContext, kind: string, address: Address, most: number): Promise<void> {
  if (address === null || !context.settings.RATE_LIMITS) return;
  const now = context.now();
  const windowStart = now - (now % SIGN_IN_TIMES.strangersWindow);
  const [one] = await counting(context.db, { subject: await markOf(context, address), kind, windowStart });
  const seconds = SIGN_IN_TIMES.strangersWindow / 1_000;
  const wait = Math.ceil((windowStart + SIGN_IN_TIMES.strangersWindow - now) / 1_000);
  if ((one?.count ?? 0) > most) throw rateLimited("sign-in", { requests: most, seconds }, wait);
}

/** Addresses are personal data: only a keyed digest is stored, for at most one day. */
async function markOf({ settings }: SignInContext, address: string): Promise<string> {
  const key = await deriveKey(
    deploymentSecret(settings) ?? "",
    "sign-in addresses",
    { name: "HMAC", hash: "SHA-256", length: 256 },
    ["sign"],
  );
  const mark = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(address));
  return `address:${hexOf(new Uint8Array(mark)).slice(0, 32)}`;
}
