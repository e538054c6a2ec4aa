// URLs of client id metadata documents. They are fetched before anybody has signed in, so only plain ones are accepted.

import { judgeUrl } from "../servers/host-policy";
import { SIGN_IN_LIMITS } from "./limits";

/** Whether a client id is the URL of a client document. */
export function isAddress(clientId: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(clientId);
}

/**
 * Returns the URL of a document, or why it is not fetched. Every build applies the policy of a deployed gateway, because any web page can
 * send the browser of a local gateway's user here. Only URLs that the parser leaves unchanged are accepted, so that id and fetched URL are
 * the same text.
 *
 * @param own the gateway's origin, which cannot host client documents
 */
export function readAddress(clientId: string, own: string): { url: URL } | { problem: string } {
  if (clientId.length > SIGN_IN_LIMITS.documentAddressChars) return { problem: "the address is too long" };
  const verdict = judgeUrl(clientId, false);
  if (verdict.url === undefined) return { problem: verdict.problem };
  const { url } = verdict;
  if (url.hash !== "" || clientId.includes("#")) return { problem: "the address has a fragment" };
  if (url.pathname === "/") return { problem: "the address has no path" };
  // The parser changed it: dot segments, default ports, capitals or another spelling.
  if (url.href !== clientId) return { problem: "the address is not normalized" };
  return url.origin === own ? { problem: "the address belongs to this gateway" } : { url };
}

/** Returns the milliseconds for which a document is valid: as its response says, within bounds. */
export function cacheLifetimeOf(cacheControl: string | null, least: number, most: number): number {
  const said = (cacheControl ?? "").toLowerCase();
  if (/\bno-(?:store|cache)\b/.test(said)) return least;
  const [, seconds] = /(?:^|[,\s])max-age=(\d{1,10})/.exec(said) ?? [];
  return Math.min(most, Math.max(least, Number(seconds ?? 0) * 1_000));
}
