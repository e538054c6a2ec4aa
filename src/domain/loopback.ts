// Which addresses are this machine. What is refused is refused by every name; what is trusted without TLS has one of three.

const NAME = /(?:^|\.)localhost$/;
const TRUSTED = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a host, as the URL parser spells it, is this machine. */
export function isLoopback(host: string): boolean {
  return NAME.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host) || host === "[::1]";
}

/**
 * Whether a URL is plain http of this machine, which development builds trust: its pages, and an issuer's keys. Names below
 * `localhost` are not among them, since some resolvers ask the network for those.
 */
export function isLocalHttp(url: URL): boolean {
  return url.protocol === "http:" && TRUSTED.has(url.hostname);
}
