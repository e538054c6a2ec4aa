// Decides which URLs the gateway can call. Every outgoing request, including redirects, uses a URL checked here.

import { isLoopback } from "../loopback";

/** A permitted URL, or why it is not permitted, in a text that does not quote it. */
export type Verdict = { url: URL; problem?: never } | { problem: string; url?: never };

const URL_CHARS = 4_096;
/** The lowest permitted port besides 443: lower ports belong to other protocols. */
const FREE_PORTS = 1_024;
/** Names that only private networks resolve: RFC 6761, 6762, 7686, 8375, 9476, and names that networks use informally. */
const PRIVATE_SUFFIXES =
  /(?:^|\.)(?:local|localdomain|internal|intranet|private|corp|home|lan|arpa|onion|alt|test|invalid|example)$/;
/** Characters that the parser would silently repair; other parsers may read them differently. */
const REPAIRED = /[\s\\\p{Cc}\p{Cf}]/u;
const HTTP = /^https?:\/\/[^/]/i;
/** A name with at least two labels whose last label is not a number, as written by the URL parser. */
const PUBLIC_NAME = /^(?=.{4,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Checks a URL. IP addresses are rejected in every spelling: the parser has converted `0x7f.1`, `2130706433` and full-width digits to
 * dotted numbers, and writes IPv6 addresses in brackets. Whether a name resolves to a private address is checked by the runtime
 * (`global_fetch_strictly_public`): a lookup here could return another result than the one used.
 *
 * @param development allows http, every port and this machine's addresses, for development builds
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

/** Whether every parser reads this text as the same http URL. */
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
