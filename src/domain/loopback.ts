// Recognizes addresses of this machine. All names are rejected; only three are trusted without TLS.

const NAME = /(?:^|\.)localhost$/;
const TRUSTED = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a host, as written by the URL parser, is this machine. */
export function isLoopback(host: string): boolean {
  return NAME.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host) || host === "[::1]";
}

/**
 * Whether a URL is plain http on this machine. Development builds trust such URLs for pages and issuer keys. Names below `localhost` are
 * excluded, because some resolvers query the network for them.
 */
export function isLocalHttp(url: URL): boolean {
  return url.protocol === "http:" && TRUSTED.has(url.hostname);
}
