// The tokens of one grant are a family: each refresh token is exchanged for its successor. Hosts repeat themselves, from several
// processes and after answers that were lost, so an exchange can be repeated; what no honest host does ends the family.

/** What is known of a family. Tokens are known by their digest. */
export interface Family {
  /** The refresh token that counts now, and how many were before it. */
  current: string;
  generation: number;
  /** The one that was exchanged for it, and when: the last time before the successor was seen in use. */
  previous: string | null;
  rotatedAt: number | null;
  /** The latest generation that is known to have arrived: its access token was used. */
  arrived: number;
}

/** A refresh token as a host shows it. */
export interface PresentedToken {
  hash: string;
  /** Which generation it says it is, if it has the gateway's mark: anybody can write a number. */
  generation: number | null;
}

/**
 * What a refresh token means. `newest`: it is exchanged. `repeated`: it was, and whoever shows it is told its successor once more.
 * `stolen`: two have it, and the family ends. `unknown`: it is none of this family's.
 *
 * A token that was exchanged may be shown again without end while its successor was never seen: then the answer was lost. Once
 * somebody has the successor it may be shown for a while, by the other processes of a host that share its credentials.
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
