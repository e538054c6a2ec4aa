// Host bindings of secrets: the hosts a secret can be sent to, over https and on one port each.

import { isLoopback } from "../loopback";

/** `api.example.com` or `*.example.com`, with a port unless it is the port of https. */
export const BOUND_HOST = /^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[1-9]\d{0,4})?$/;
const HIGHEST_PORT = 65_535;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };

interface Bound {
  /** In lower case. `*.example.com` matches every host below example.com, but not example.com itself. */
  name: string;
  /** `null`: no port was given. */
  port: number | null;
}

/** Whether a secret can be bound to this text. */
export function isBoundHost(text: string): boolean {
  return BOUND_HOST.test(text) && (boundOf(text).port ?? 0) <= HIGHEST_PORT;
}

/**
 * Returns why a secret bound to these hosts cannot be sent to this URL; `null` if it can. The message contains scheme, host and port, so no
 * value may have been filled into the URL.
 *
 * @param development in development builds, servers of this machine can use http and any port, unless the binding names one
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
