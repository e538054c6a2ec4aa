// Finds literal credentials in `mcpServers`. Everyone who can read a skill can read them, so skills of groups and public skills must not
// contain any. The check catches mistakes. It does not stop an author who hides a credential on purpose.

import { decodeBase64Url } from "../base64";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";

/** The gateway's own credentials: keys, links and tokens. */
const OWN = /\bsg[a-z]_\w{20,}/;

/** Whether a text contains a credential with the prefix of a well-known issuer or of this gateway. */
export function hasIssuedCredential(text: string): boolean {
  return ISSUED.test(text) || OWN.test(text);
}

/** A value that looks like a credential. */
export interface LiteralCredential {
  /** Path below `mcpServers`: the server, then keys and positions. */
  keys: string[];
  /** A suggested name for the secret that replaces it. */
  secret: string;
}

/** Names of headers, variables, parameters and options whose value is a credential. */
const SECRET_NAME =
  /auth(?!or(?!i))|token|secret|passw|api[-_]?key|access[-_]?key|credential|cookie|bearer|(?:^|[-_.])(?:key|pat|pwd)(?:[-_.]|$)/i;
/** Names that only describe a credential: its use, its source or its lifetime. */
const ABOUT_SECRET =
  /(?:type|mode|scheme|method|url|uri|endpoint|host|ttl|timeout|expiry|expires(?:[-_]in)?|limit|count|size|name|header|file|path|version|id|algorithm)$/i;
/** Values that are never a credential. */
const PLAIN =
  /^(?:true|false|yes|no|on|off|none|null|auto|default|required|optional|enabled|disabled|oauth2?|basic|bearer|jwt|token|anonymous|public|\d{1,6})$/i;
/** Placeholders: values that the reader of the file replaces, or that were masked. */
const STAND_IN =
  /^(?:<.*>|\[.*\]|\$[A-Z_]+|[x*.•]+|(?:your|my|the|insert|replace|enter|add)[-_ ].*|(?:api[-_]?key|access[-_]?key|secret|password|changeme|todo))$/i;
/** Variables that a runtime substitutes. */
const FILLED_IN = /\$\{\{[^}]*\}\}|\$\{[^}]*\}|\{\{[^}]*\}\}/g;
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey|Digest)(?:\s+|$)/i;
/** Credentials under any name: the prefixes of well-known issuers. */
const ISSUED =
  /\b(?:sk-[\w-]{16,}|[sr]k_(?:live|test)_\w{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,}|hf_\w{20,}|npm_\w{30,}|eyJ[\w-]{10,}\.eyJ[\w-]{10,})/;
/** Credentials under any name, recognized by their scheme inside a text. */
const SCHEMED = /\b(?:Bearer|Basic)\s+(?=\S*\d)[\w.~+/=-]{6,}/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Keys whose values are never treated as credentials. */
const DESCRIBING = new Set(["type", "description", "allow", "deny", "era"]);

/** Returns the locations of literal credentials in an `mcpServers`, at any depth. Never returns the values. */
export function literalCredentials(servers: JsonObject): LiteralCredential[] {
  return Object.entries(servers).flatMap(([server, entry]) =>
    [
      ...new Map(
        [...credentialPaths(entry, [], ""), ...splitCredentialPaths(entry)].map((keys) => [keys.join("\0"), keys]),
      ).values(),
    ].map((keys) => ({ keys: [server, ...keys], secret: secretFor(server, keys) })),
  );
}

/** Returns the message for the author. */
export function literalCredentialText({ keys: [server = "", ...rest], secret }: LiteralCredential): string {
  return `${rest.join(".") || "The entry"} of '${server}' contains a literal credential. Store it as a secret and write \${{secrets.${secret}}} instead.`;
}

/** Replacement for a credential. */
const MASK = "***";

/** Returns a copy of `mcpServers` with every literal credential masked. */
export function withoutCredentials(servers: JsonObject): JsonObject {
  const copy = structuredClone(servers);
  for (const { keys } of literalCredentials(servers)) maskAt(copy, keys);
  return copy;
}

function maskAt(at: JsonValue, [key = "", ...rest]: readonly string[]): void {
  if (at === null || typeof at !== "object") return;
  const inner = Object.getOwnPropertyDescriptor(at, key)?.value;
  if (rest.length > 0) {
    maskAt(inner, rest);
    return;
  }
  const url = typeof inner === "string" ? URL.parse(inner) : null;
  const shown = url !== null && url.host !== "" ? `${url.protocol}//${url.host}/${MASK}` : MASK;
  Object.defineProperty(at, key, { value: shown, enumerable: true, configurable: true, writable: true });
}

/** Returns the paths below a value that contain a credential. `name` is the key of the value. Items of a list have the name of the list. */
function credentialPaths(value: JsonValue, keys: string[], name: string): string[][] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      const before = value[index - 1];
      const option = typeof before === "string" && /^--?\w/.test(before) ? before.replace(/^-+/, "") : name;
      return credentialPaths(item, [...keys, `${index}`], option);
    });
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([key, item]) => credentialPaths(item, [...keys, key], key));
  if (DESCRIBING.has(name) || (typeof value !== "string" && typeof value !== "number")) return [];
  return isCredential(name, `${value}`) ? [keys] : [];
}

/** Returns the headers that together contain one credential, split so that no single header looks like one. */
function splitCredentialPaths(entry: JsonValue): string[][] {
  const headers = isJsonObject(entry) && isJsonObject(entry.headers) ? Object.entries(entry.headers) : [];
  const parts = headers.map(([key, value]) => ({ key, text: typeof value === "string" ? literalOf(value) : "" }));
  const found = ISSUED.exec(parts.map(({ text }) => text).join(""));
  if (found === null) return [];
  let end = 0;
  return parts.flatMap(({ key, text }) => {
    const start = end;
    end += text.length;
    return text !== "" && start < found.index + found[0].length && end > found.index ? [["headers", key]] : [];
  });
}

function isCredential(name: string, value: string): boolean {
  const literal = literalOf(value);
  if (literal === "" || PLAIN.test(literal) || STAND_IN.test(literal)) return false;
  if (ISSUED.test(literal) || SCHEMED.test(value.replaceAll(FILLED_IN, ""))) return true;
  if (isEncodedCredential(literal)) return true;
  const url = urlIn(value);
  if (url !== null) return urlHoldsCredential(url, value);
  // Matches `--token=…` and `--header "Authorization: …"`.
  const [, option = "", optionValue = ""] = /^-*([\w-]+)(?:=|:\s+)(.+)$/s.exec(value) ?? [];
  if (option !== "" && optionValue !== value && isCredential(option, optionValue)) return true;
  if (SECRET_NAME.test(name) && !ABOUT_SECRET.test(name)) return true;
  return looksRandom(literal);
}

/** Returns a value without its variables and without the scheme prefix. */
function literalOf(value: string): string {
  return value.replaceAll(FILLED_IN, "").trim().replace(SCHEME, "").trim();
}

/** Whether a text looks generated: long, with letters of both cases and digits, or hex only. */
function looksRandom(text: string): boolean {
  if (text.length < 32 || UUID.test(text) || /^sha\d+[:-]/i.test(text)) return false;
  if (/^[0-9a-f]+$/i.test(text)) return true;
  return (
    /^[\w+/=.~-]+$/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) && (text.match(/\d/g)?.length ?? 0) >= 3
  );
}

function isEncodedCredential(text: string): boolean {
  if (text.length < 16 || !/^[A-Za-z0-9+/_-]+=*$/.test(text)) return false;
  const bytes = decodeBase64Url(text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""));
  if (bytes === null) return false;
  const decoded = new TextDecoder().decode(bytes);
  return ISSUED.test(decoded) || SCHEMED.test(decoded);
}

/** Parses a value as a URL, with a letter in place of each variable. Returns `null` if it is not a URL. */
function urlIn(value: string): URL | null {
  const marked = value.replaceAll(FILLED_IN, "x");
  return /^[a-z][a-z0-9+.-]*:/i.test(marked) && /[/\\]/.test(marked) ? URL.parse(marked) : null;
}

function urlHoldsCredential(url: URL, value: string): boolean {
  const filled = (part: string) => part === "x" && value.search(FILLED_IN) >= 0;
  const userinfo = [url.username, url.password].map(decoded).filter((part) => part !== "" && !filled(part));
  if (userinfo.some((part) => !STAND_IN.test(part))) return true;
  if ([...url.searchParams].some(([key, part]) => !filled(part) && isCredential(key, part))) return true;
  return [...url.pathname.split("/").map(decoded), url.hash.slice(1)].some(
    (part) => ISSUED.test(part) || looksRandom(part),
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not valid percent-encoding: checked unchanged.
    return part;
  }
}

/** Returns a name such as `WEATHER_TOKEN`: the server's name and the key of the value. */
function secretFor(server: string, keys: readonly string[]): string {
  const last = keys.filter((key) => !/^\d+$/.test(key)).at(-1) ?? "";
  const what = /^(?:authorization|url|args)$/i.test(last) || last === "" ? "token" : last;
  const words = `${server}_${what}`
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^[_\d]+|_+$/g, "");
  return (words === "" ? "TOKEN" : words).slice(0, 64);
}
