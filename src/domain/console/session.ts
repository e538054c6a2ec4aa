// A console session: a browser's replacement for a key, for hours and at one edge only (docs/console.md).

import type { Membership } from "../access/access";
import { hexOf } from "../digest";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Methods of signing in to the console: with a key, a link, or at the configured issuer. */
export const CONSOLE_SIGN_IN_METHODS = ["key", "link", "issuer"] as const;
export type ConsoleSignInMethod = (typeof CONSOLE_SIGN_IN_METHODS)[number];

export const SESSION_TIMES = {
  /** Maximum lifetime after sign-in. */
  life: 12 * HOUR,
  /** Lifetime of a session without requests, in milliseconds. */
  idle: HOUR,
  /** Minimum interval between records of use. An idle session can end this much earlier than after one hour. */
  noted: MINUTE,
  /** Time after sign-in in which dangerous actions are allowed. */
  fresh: 15 * MINUTE,
  /** Maximum duration of a sign-in at the issuer. */
  outside: 10 * MINUTE,
} as const;

/** Sessions per user. Above it, the least recently used one ends. */
export const SESSIONS_OF_USER = 20;

/** The user of a new session, and what ends it. */
export interface NewSession {
  userId: string;
  name: string | null;
  role: "user" | "admin";
  /** Scopes of the credential used to sign in, without `act_as`: a session never has more rights. */
  scopes: readonly string[];
  via: ConsoleSignInMethod;
  /** The stored key on which the session depends. */
  keyId: string | null;
  /** Digest of the settings that the session depends on, if it comes from no stored key. */
  mark: string | null;
  /** Groups that the issuer's token claimed. */
  claimed: readonly Membership[];
  /** Latest end, in addition to `SESSION_TIMES`; `null`: no other limit. */
  endsAt: number | null;
}

/** The session that a console link starts, without what is only known on opening. */
export type LinkedSession = Pick<NewSession, "role" | "scopes" | "keyId" | "mark" | "endsAt">;

const SECRET = /^sgb_([0-9A-Z]{4,40})_[0-9a-f]{64}$/;

/** Returns the secret of a browser's cookie: the session's id and these 32 random bytes. */
export function writeSessionSecret(id: string, random: Uint8Array): string {
  return `sgb_${id}_${hexOf(random)}`;
}

/** Returns the id in a cookie's secret; `null` if it is not a session secret. */
export function readSessionId(secret: string): string | null {
  return SECRET.exec(secret)?.[1] ?? null;
}
