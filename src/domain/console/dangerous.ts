// What a session of the console may do only a short while after its user has signed in: what cannot be taken back, what lets somebody
// in, and what says where secrets go. A stolen or forgotten session that is older can look, and do what can be undone.

import type { Principal } from "../access/access";
import { needOf } from "../access/key-scope";
import { GatewayError } from "../errors";
import { SESSION_TIMES } from "./session";

/**
 * Besides these, every write that needs the scope `admin` or `secrets`: moderation, users, keys, secrets, servers, models. What changes
 * something public is refused where rights are looked at (`requireRight`), since no path tells it.
 */
const DANGEROUS: readonly { methods: readonly string[]; path: RegExp }[] = [
  { methods: ["POST"], path: /^\/api\/v1\/keys\/[^/]+\/rotate$/ },
  { methods: ["POST"], path: /^\/api\/v1\/links$/ },
  { methods: ["DELETE"], path: /^\/api\/v1\/groups\/[^/]+$/ },
  { methods: ["PUT", "DELETE"], path: /^\/api\/v1\/groups\/[^/]+\/members\/[^/]+$/ },
  { methods: ["DELETE"], path: /^\/api\/v1\/(kinds\/)?skills\/[^/]+$/ },
  { methods: ["GET"], path: /^\/api\/v1\/users\/[^/]+\/export$/ },
];

/** Whether a request wants a sign-in of the last minutes, by its method and the path that the router matches. */
export function isDangerous(method: string, path: string): boolean {
  const bare = path.replace(/\/+$/, "");
  const need = needOf(method, bare);
  const isWrite = method !== "GET" && method !== "HEAD";
  if (isWrite && (need === "admin" || need === "secrets" || need === "unlimited")) return true;
  return DANGEROUS.some((line) => line.methods.includes(method) && line.path.test(bare));
}

/** Refuses a session whose user signed in too long ago, whatever it may do otherwise. Everybody else has a key, which is no lesser one later. */
export function requireFreshSignIn({ session }: Pick<Principal, "session">): void {
  if (session === undefined || session.isFresh) return;
  const minutes = SESSION_TIMES.fresh / 60_000;
  const message = `This action needs a recent sign-in (at most ${minutes} minutes ago). Sign in again and repeat it.`;
  throw new GatewayError("forbidden", "SIGN_IN_TOO_OLD", message);
}
