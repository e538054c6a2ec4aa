// Where an answer may be sent: the redirect URIs of programs. What a URI may be is narrow, and matching is by the letter; only the port
// of a program on the user's own machine is free, since such programs take whichever one they get (RFC 8252).

const MOST_CHARS = 2_048;
/** Letters of URIs. What is outside of this two readers may read in two ways: blanks, controls, backslashes, quotes, other scripts. */
const WRITTEN = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?((?:[/?].*)?)$/;
const SCHEME = /^([a-z][a-z0-9+.-]*):(.+)$/i;
/**
 * Schemes that browsers run, show or hand to something that nobody means here: a page, a file, a letter, an address of the network.
 * A program of the user's own has a scheme of its own.
 */
const NO_PROGRAM =
  /^(?:https?.*|wss?|ftps?|sftp|ssh|javascript|data|vbscript|file|blob|about|filesystem|view-source|chrome.*|edge|moz-.*|resource|jar|intent|android-app|mailto|tel|sms|urn|cid|mid|ms-.*|search-ms|search|shell|res|feed|ldaps?|telnet|gopher|news|nntp)$/i;

/** Where an answer goes. */
export type Destination =
  | { kind: "site"; host: string }
  /** A program on the user's machine, listening there. */
  | { kind: "machine"; host: string }
  /** A program that the user's system opens for a scheme. */
  | { kind: "app"; scheme: string };

/** Where a redirect URI leads; `null` for one that is never used. */
export function destinationOf(uri: string): Destination | null {
  if (uri.length > MOST_CHARS || !WRITTEN.test(uri)) return null;
  const [, host, port] = LOOPBACK.exec(uri) ?? [];
  if (host !== undefined)
    return isPort(port) ? { kind: "machine", host: port === undefined ? host : `${host}:${port}` } : null;
  const [, scheme = "", rest = ""] = SCHEME.exec(uri) ?? [];
  if (scheme === "https") {
    const url = URL.parse(uri);
    // Spelt as the parser spells it, so that who reads the page and the browser see one host.
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

/** Whether an asked-for URI is one of a program's: by the letter, but for the port of this machine. */
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

/** The URI with an answer in its query, which keeps what was there. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== null);
  return uri + (uri.includes("?") ? "&" : "?") + new URLSearchParams(given).toString();
}
