// Redirect URIs of clients. Few forms are allowed and matching is exact, except for the port of a client on the user's machine, which is
// chosen at run time (RFC 8252).

const MOST_CHARS = 2_048;
/** Characters of URIs. Others can be read in different ways: blanks, control characters, backslashes, quotes, other scripts. */
const WRITTEN = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?((?:[/?].*)?)$/;
const SCHEME = /^([a-z][a-z0-9+.-]*):(.+)$/i;
/** Schemes that browsers execute, display or pass to unrelated programs. Native clients use a scheme of their own. */
const NO_PROGRAM =
  /^(?:https?.*|wss?|ftps?|sftp|ssh|javascript|data|vbscript|file|blob|about|filesystem|view-source|chrome.*|edge|moz-.*|resource|jar|intent|android-app|mailto|tel|sms|urn|cid|mid|ms-.*|search-ms|search|shell|res|feed|ldaps?|telnet|gopher|news|nntp)$/i;

/** The target of a response. */
export type Destination =
  | { kind: "site"; host: string }
  /** A program that listens on the user's machine. */
  | { kind: "machine"; host: string }
  /** A program that the operating system opens for a URL scheme. */
  | { kind: "app"; scheme: string };

/** Returns the target of a redirect URI; `null` if it is not allowed. */
export function destinationOf(uri: string): Destination | null {
  if (uri.length > MOST_CHARS || !WRITTEN.test(uri)) return null;
  const [, host, port] = LOOPBACK.exec(uri) ?? [];
  if (host !== undefined)
    return isPort(port) ? { kind: "machine", host: port === undefined ? host : `${host}:${port}` } : null;
  const [, scheme = "", rest = ""] = SCHEME.exec(uri) ?? [];
  if (scheme === "https") {
    const url = URL.parse(uri);
    // Spelled as the parser spells it, so that the user and the browser see the same host.
    const plain = url !== null && url.username === "" && url.password === "" && uri.startsWith(`https://${url.host}`);
    return plain && /^(?:[/?]|$)/.test(uri.slice(`https://${url.host}`.length))
      ? { kind: "site", host: url.host }
      : null;
  }
  return scheme === "" || scheme !== scheme.toLowerCase() || NO_PROGRAM.test(scheme) || rest === ""
    ? null
    : { kind: "app", scheme };
}

function isPort(port: string | undefined): boolean {
  return port === undefined || (/^[1-9]/.test(port) && Number(port) <= 65_535);
}

/** Whether a requested URI is registered: exactly, except for the port of a loopback URI. */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  if (destinationOf(asked) === null) return false;
  const usable = registered.filter((uri) => destinationOf(uri) !== null);
  return usable.includes(asked) || usable.some((uri) => isSameMachine(uri, asked));
}

function isSameMachine(registered: string, asked: string): boolean {
  const [, host, , rest] = LOOPBACK.exec(registered) ?? [];
  const [, askedHost, , askedRest] = LOOPBACK.exec(asked) ?? [];
  return host !== undefined && host === askedHost && (rest || "/") === (askedRest || "/");
}

/** Adds response parameters to the URI's query. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== null);
  return uri + (uri.includes("?") ? "&" : "?") + new URLSearchParams(given).toString();
}
