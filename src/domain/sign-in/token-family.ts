// The tokens of a grant are a family: each refresh token is exchanged for its successor. Hosts repeat exchanges, from several processes and
// after lost responses, so an exchange can be repeated. A request that no honest host sends ends the family.

/** The stored state of a token family. Tokens are stored as digests. */
export interface Family {
  /** The current refresh token, and the number of earlier ones. */
  current: string;
  generation: number;
  /** The previous refresh token, and the last time it was exchanged before its successor was used. */
  previous: string | null;
  rotatedAt: number | null;
  /** Latest generation whose access token was used, which proves that its response arrived. */
  arrived: number;
}

/** A refresh token as presented by a host. */
export interface PresentedToken {
  hash: string;
  /** The generation it contains, if the gateway's signature is valid. */
  generation: number | null;
}

/**
 * Classifies a refresh token. `newest`: exchange it. `repeated`: it was exchanged, and its successor is returned again. `stolen`: two
 * parties have it, and the family ends. `unknown`: it does not belong to this family.
 *
 * An exchanged token can be presented again without limit until its successor was used, because the response may have been lost. Afterwards
 * it is accepted for a grace period, for other processes of a host that share its credentials.
 */
export function meaningOf(
  family: Family,
  shown: PresentedToken,
  at: { now: number; grace: number },
): "newest" | "repeated" | "stolen" | "unknown" {
  if (shown.hash === family.current) return "newest";
  if (shown.hash === family.previous) {
    const isLate = at.now - (family.rotatedAt ?? 0) > at.grace;
    return isLate && family.arrived >= family.generation ? "stolen" : "repeated";
  }
  return shown.generation !== null && shown.generation < family.generation - 1 ? "stolen" : "unknown";
}
