// Addresses of documents about programs: an id that is an address is asked for before anybody has signed in, so it has to be a plain one.

import { judgeUrl } from "../servers/host-policy";
import { SIGN_IN_LIMITS } from "./limits";

/** Whether a program's id means the address of a document about it. */
export function isAddress(clientId: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(clientId);
}

/**
 * The address of a document, or why it is not asked for. The policy is that of a deployed gateway in every build, since a page of the web can send the
 * browser of whoever runs a local one here. Only what the parser leaves as it is counts, so that the id and what is asked are one text.
 *
 * @param own the gateway's origin, where nobody else may speak for a program
 */
export function readAddress(clientId: string, own: string): { url: URL } | { problem: string } {
  if (clientId.length > SIGN_IN_LIMITS.documentAddressChars) return { problem: "the address is too long" };
  const verdict = judgeUrl(clientId, false);
  if (verdict.url === undefined) return { problem: verdict.problem };
  const { url } = verdict;
  if (url.hash !== "" || clientId.includes("#")) return { problem: "the address has a fragment" };
  if (url.pathname === "/") return { problem: "the address has no path" };
  // Dot segments, default ports, capitals and other spellings: the parser has changed them.
  if (url.href !== clientId) return { problem: "the address is not normalized" };
  return url.origin === own ? { problem: "the address belongs to this gateway" } : { url };
}

/** Milliseconds for which a document counts: what its answer says, within bounds. */
export function cacheLifetimeOf(cacheControl: string | null, least: number, most: number): number {
  const said = (cacheControl ?? "").toLowerCase();
  if (/\bno-(?:store|cache)\b/.test(said)) return least;
  const [, seconds] = /(?:^|[,\s])max-age=(\d{1,10})/.exec(said) ?? [];
  return Math.min(most, Math.max(least, Number(seconds ?? 0) * 1_000));
}
