// Which addresses the gateway speaks to. Everything that leaves goes to a URL that was judged here, redirects too.

import { isLoopback } from "../loopback";

/** A URL that may be fetched, or why it may not, in words that quote nothing of it. */
export type Verdict = { url: URL; problem?: never } | { problem: string; url?: never };

const URL_CHARS = 4_096;
/** The lowest port beside 443: below it live other protocols, which a request could be made to speak. */
const FREE_PORTS = 1_024;
/** Names that only a private network resolves: RFC 6761, 6762, 7686, 8375, 9476 and what networks use without asking. */
const PRIVATE_SUFFIXES =
  /(?:^|\.)(?:local|localdomain|internal|intranet|private|corp|home|lan|arpa|onion|alt|test|invalid|example)$/;
/** The parser would repair these; what two readers may read in two ways is refused. */
const REPAIRED = /[\s\\\p{Cc}\p{Cf}]/u;
const HTTP = /^https?:\/\/[^/]/i;
/** A name with at least two labels, the last of them no number, in the spelling that the URL parser leaves. */
const PUBLIC_NAME = /^(?=.{4,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Judges a URL. Addresses in place of names are refused whatever they are, so that no spelling of a private one can slip
 * through: the parser has made `0x7f.1`, `2130706433` and full-width digits into dotted numbers before we look, and writes every
 * address of version 6 in brackets. Whether a name leads to a private address is for the runtime, which resolves it
 * (`global_fetch_strictly_public`): looking it up here would judge another answer than the one that is used.
 *
 * @param development whether this is a development build: http, every port and this machine's own addresses are allowed
 */
export function judgeUrl(text: string, development: boolean): Verdict {
  if (text.length > URL_CHARS) return { problem: "the URL is too long" };
  if (REPAIRED.test(text)) return { problem: "the URL contains spaces, control characters or backslashes" };
  if (!HTTP.test(text)) return { problem: "it is not an http URL" };
  const url = URL.parse(text);
  if (url === null) return { problem: "it is not a valid URL" };
  const problem = problemOf(url, development);
  return problem === null ? { url } : { problem };
}

/** Whether every reader takes this text for the same http URL, if for any. */
export function isUnambiguous(text: string): boolean {
  return HTTP.test(text) && !REPAIRED.test(text);
}

function problemOf(url: URL, development: boolean): string | null {
  const { hostname: host, port } = url;
  if (url.protocol !== "https:" && !development) return "only https is allowed";
  if (url.username !== "" || url.password !== "") return "a user name or password in the URL is not allowed";
  if (port !== "" && Number(port) < FREE_PORTS && !development) return "the port is not allowed";
  if (isLoopback(host)) return development ? null : "an address of this machine is not allowed";
  if (/^[\d.]+$|^\[/.test(host)) return "an IP address is not allowed, use a host name";
  if (host.endsWith(".")) return "a host name that ends with a dot is not allowed";
  if (!host.includes(".") || PRIVATE_SUFFIXES.test(host)) return "a name of a private network is not allowed";
  return PUBLIC_NAME.test(host) ? null : "it is not a valid host name";
}
