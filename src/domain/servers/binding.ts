// Where a secret may be sent: the hosts it is bound to, each over https and to one port.

import { isLoopback } from "../loopback";

/** `api.example.com` or `*.example.com`, with a port where it is not that of https. */
export const BOUND_HOST = /^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[1-9]\d{0,4})?$/;
const HIGHEST_PORT = 65_535;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };

interface Bound {
  /** In lower case; `*.example.com` covers every host below example.com, and not itself. */
  name: string;
  /** `null` where none was written. */
  port: number | null;
}

/** Whether this is something that a secret can be bound to. */
export function isBoundHost(text: string): boolean {
  return BOUND_HOST.test(text) && (boundOf(text).port ?? 0) <= HIGHEST_PORT;
}

/**
 * Why what is bound to these hosts may not go to this URL, in words; `null` where it may. Looks at scheme, host and port only,
 * and tells them: the URL must be one that no value was filled into.
 *
 * @param development whether this is a development build: this machine's own servers are reached by http too, and on any port
 *   unless one is named, since they get another one at every start
 */
export function bindingProblem(hosts: readonly string[], url: URL, development: boolean): string | null {
  const named = hosts.map(boundOf).filter(({ name }) => covers(name, url.hostname));
  if (named.length === 0) return `is not bound to the host ${url.hostname}`;
  const isLocal = development && isLoopback(url.hostname);
  if (url.protocol !== "https:" && !isLocal) return `is sent over https only, and not to ${url.origin}`;
  const used = url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port);
  const fits = ({ port }: Bound) => (port === null && isLocal) || used === (port ?? DEFAULT_PORTS["https:"]);
  return named.some(fits) ? null : `is not bound to ${url.hostname}:${used}`;
}

function boundOf(text: string): Bound {
  const [name = "", port] = text.toLowerCase().split(":");
  return { name, port: port === undefined ? null : Number(port) };
}

function covers(name: string, host: string): boolean {
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}
