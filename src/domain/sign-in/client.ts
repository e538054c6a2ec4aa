// OAuth clients: their metadata and the URLs of metadata documents. Both come from strangers and are validated strictly.

import * as z from "zod";
import type { Issue } from "../errors";
import { judgeUrl } from "../servers/host-policy";
import { SIGN_IN_LIMITS } from "./limits";
import { destinationOf } from "./redirect";

/** An OAuth client. Self-registered clients are public; only pre-registered ones have a secret (`pre-registered.ts`). */
export interface Client {
  /** `dcr_…`: a digest of the registration; the URL of a client document; or `app_…`: named by an admin. */
  id: string;
  /** Its display name, made safe to show. */
  name: string;
  /** The host of its metadata document, or `null`. */
  host: string | null;
  redirectUris: readonly string[];
}

/** The fields that are read of a registration (RFC 7591) or a metadata document. Others are ignored. */
const metadataSchema = z.lazy(() =>
  z.looseObject({
    client_name: z.string().max(SIGN_IN_LIMITS.metadataChars).optional(),
    redirect_uris: z
      .array(z.string().max(SIGN_IN_LIMITS.metadataChars), "add at least one")
      .min(1, "add at least one")
      .max(SIGN_IN_LIMITS.redirectUris, `too many entries (limit ${SIGN_IN_LIMITS.redirectUris})`),
    grant_types: z.array(z.string()).optional(),
    response_types: z.array(z.string()).optional(),
  }),
);

const documentSchema = z.lazy(() => metadataSchema.unwrap().extend({ client_id: z.string() }));

/** Metadata of a client. */
export interface Metadata {
  name: string;
  redirectUris: string[];
}

/** Returns a client's metadata, or issues. `uris`: the issues concern redirect URIs. */
export function readMetadata(said: unknown): { metadata: Metadata } | { issues: Issue[]; uris: boolean } {
  const parsed = metadataSchema.safeParse(said);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ message, path }) => ({
      code: "INVALID_FIELD",
      message: path.length === 0 ? "The body is not a JSON object. Send the metadata as one." : message,
      path: path.join("."),
    }));
    return { issues, uris: issues.some(({ path }) => path.startsWith("redirect_uris")) };
  }
  const { client_name, redirect_uris, grant_types, response_types } = parsed.data;
  const issues: Issue[] = [];
  if (grant_types?.includes("authorization_code") === false)
    issues.push({
      code: "INVALID_FIELD",
      message: "`grant_types` does not include `authorization_code`. Add it.",
      path: "grant_types",
    });
  if (response_types?.includes("code") === false)
    issues.push({
      code: "INVALID_FIELD",
      message: "`response_types` does not include `code`. Add it.",
      path: "response_types",
    });
  const usable = redirect_uris.filter((uri) => destinationOf(uri) !== null);
  if (usable.length === 0) {
    const message =
      "No redirect URI can be used. Use an https address, http on this machine, or the program's own scheme.";
    issues.push({ code: "INVALID_FIELD", message, path: "redirect_uris" });
  }
  if (issues.length > 0) return { issues, uris: usable.length === 0 };
  return { metadata: { name: displayClientName(client_name ?? ""), redirectUris: [...new Set(usable)].sort() } };
}

/** Whether a client id is the URL of a metadata document. */
export function isAddress(clientId: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(clientId);
}

/**
 * Returns the URL of a document, or why it is not fetched. Documents are fetched before anybody has signed in. Every build applies the
 * policy of a deployed gateway, because any web page can send the browser of a local gateway's user here. Only URLs that the parser leaves
 * unchanged are accepted, so that id and fetched URL are the same text.
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

/** Returns the metadata of the client whose id is the document's URL, or the problem in one word. */
export function readDocument(address: string, text: string): { metadata: Metadata } | { problem: string } {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return { problem: "it is not JSON" };
  }
  const parsed = documentSchema.safeParse(said);
  if (!parsed.success) return { problem: "it has no client_id or no redirect_uris" };
  // Otherwise the host of one document could act for another host.
  if (parsed.data.client_id !== address) return { problem: "its client_id differs from its address" };
  const read = readMetadata(parsed.data);
  return "metadata" in read ? read : { problem: read.issues.map(({ message }) => message).join(" ") };
}

/** Returns the text whose digest is the id of a self-registered client: equal metadata is the same client. */
export function canonicalMetadata({ name, redirectUris }: Metadata): string {
  return JSON.stringify({ name, redirectUris });
}

/** Prefix of the ids of self-registered clients. */
export const REGISTERED = "dcr_";

/** Returns a name as one short line without control characters, direction changes and stacked marks. */
export function displayClientName(said: string): string {
  const plain = said
    .normalize("NFC")
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/(\p{M}{2})\p{M}+/gu, "$1")
    .replace(/\s+/gu, " ")
    .trim();
  const short = [...plain].slice(0, SIGN_IN_LIMITS.nameChars).join("").trim();
  return short === "" ? "Unnamed program" : short;
}
