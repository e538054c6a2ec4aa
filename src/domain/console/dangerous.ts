// Actions that a console session can only perform shortly after sign-in: irreversible ones, those that grant access, and those that decide
// where secrets are sent. An older session, which may be stolen, can read and make reversible changes.

import type { Principal } from "../access/access";
import { needOf } from "../access/key-scope";
import { GatewayError } from "../errors";
import { SESSION_TIMES } from "./session";

/**
 * In addition, all writes that require the scope `admin` or `secrets`: moderation, users, keys, secrets, servers, models. Changes of public
 * resources are checked in `requireRight`, because the path does not identify them.
 */
const DANGEROUS: readonly { methods: readonly string[]; path: RegExp }[] = [
  { methods: ["POST"], path: /^\/api\/v1\/keys\/[^/]+\/rotate$/ },
  { methods: ["POST"], path: /^\/api\/v1\/links$/ },
  { methods: ["PUT"], path: /^\/api\/v1\/publishers\/[^/]+$/ },
  { methods: ["DELETE"], path: /^\/api\/v1\/groups\/[^/]+$/ },
  { methods: ["PUT", "DELETE"], path: /^\/api\/v1\/groups\/[^/]+\/members\/[^/]+$/ },
  { methods: ["DELETE"], path: /^\/api\/v1\/(kinds\/)?skills\/[^/]+$/ },
  { methods: ["PUT"], path: /^\/api\/v1\/kinds\/skills\/[^/]+\/network$/ },
  { methods: ["GET"], path: /^\/api\/v1\/users\/[^/]+\/export$/ },
];

/** Whether a request requires a recent sign-in, by method and routed path. */
export function isDangerous(method: string, path: string): boolean {
  const bare = path.replace(/\/+$/, "");
  const need = needOf(method, bare);
  const isWrite = method !== "GET" && method !== "HEAD";
  if (isWrite && (need === "admin" || need === "secrets" || need === "unlimited")) return true;
  return DANGEROUS.some((line) => line.methods.includes(method) && line.path.test(bare));
}

/** Throws for a session without a recent sign-in. Requests with a key are not affected. */
export function requireFreshSignIn({ session }: Pick<Principal, "session">): void {
  if (session === undefined || session.isFresh) return;
  const minutes = SESSION_TIMES.fresh / 60_000;
  const message = `This action needs a recent sign-in (at most ${minutes} minutes ago). Sign in again and repeat it.`;
  throw new GatewayError("forbidden", "SIGN_IN_TOO_OLD", message);
}
