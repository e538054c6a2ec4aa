// A session of the console: what a browser holds in place of a key, for hours, at one edge alone (docs/console.md).

import type { Membership } from "../access/access";
import { hexOf } from "../digest";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How somebody signed in to the console: with a key, by a link, or at the configured issuer. */
export const CONSOLE_SIGN_IN_METHODS = ["key", "link", "issuer"] as const;
export type ConsoleSignInMethod = (typeof CONSOLE_SIGN_IN_METHODS)[number];

export const SESSION_TIMES = {
  /** From signing in to the end, whatever happens. */
  life: 12 * HOUR,
  /** Without a request it ends sooner. */
  idle: HOUR,
  /** How often a use is written down at most: an idle session may live for so long less than an hour. */
  noted: MINUTE,
  /** How long after signing in dangerous things may be done. */
  fresh: 15 * MINUTE,
  /** How long a sign-in at the issuer may take. */
  outside: 10 * MINUTE,
} as const;

/** Of one user. Beyond it the one ends that was used longest ago. */
export const SESSIONS_OF_USER = 20;

/** Who a new session is, and what it ends with. */
export interface NewSession {
  userId: string;
  name: string | null;
  role: "user" | "admin";
  /** Those of what was signed in with, without `act_as`: a session never may more. */
  scopes: readonly string[];
  via: ConsoleSignInMethod;
  /** The stored key that it ends with. */
  keyId: string | null;
  /** What the settings must go on saying of where it comes from, if that is no stored key. */
  mark: string | null;
  /** Groups that the issuer's token claimed. */
  claimed: readonly Membership[];
  /** When it ends at the latest, besides `SESSION_TIMES`; `null`: nothing else ends it. */
  endsAt: number | null;
}

/** What a link of the console opens: a session without what is only known when it is opened. */
export type LinkedSession = Pick<NewSession, "role" | "scopes" | "keyId" | "mark" | "endsAt">;

const SECRET = /^sgb_([0-9A-Z]{4,40})_[0-9a-f]{64}$/;

/** What a browser's cookie holds: the session's id, and these 32 random bytes. */
export function writeSessionSecret(id: string, random: Uint8Array): string {
  return `sgb_${id}_${hexOf(random)}`;
}

/** The id in what a cookie holds; `null` where that is no secret of a session. */
export function readSessionId(secret: string): string | null {
  return SECRET.exec(secret)?.[1] ?? null;
}
