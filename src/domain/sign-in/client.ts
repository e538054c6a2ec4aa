// A program that wants to sign its user in: what it says of itself, read as the word of a stranger.

import * as z from "zod";
import type { Issue } from "../errors";
import { SIGN_IN_LIMITS } from "./limits";
import { destinationOf } from "./redirect";

/** A program as the gateway knows it. Strangers are public: only those that an admin made known have a secret (`known.ts`). */
export interface Client {
  /** `dcr_…`, a digest of what it registered, the address of the document about it, or `app_…`, as an admin named it. */
  id: string;
  /** What it calls itself, or an admin calls it, fit to be shown. */
  name: string;
  /** The host that its document came from; `null` where there is none. */
  host: string | null;
  redirectUris: readonly string[];
}

/** What is read of a registration (RFC 7591) and of a document about a client. Everything else in them is a stranger's and left alone. */
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

/** What a program says of itself. */
export interface Metadata {
  name: string;
  redirectUris: string[];
}

/** What a program says of itself, or what is wrong with it: `uris` where that is its redirect URIs. */
export function readMetadata(said: unknown): { metadata: Metadata } | { issues: Issue[]; uris: boolean } {
  const parsed = metadataSchema.safeParse(said);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ message, path }) => ({
      code: "INVALID_FIELD",
      message: path.length === 0 ? "The body is not a JSON object." : message,
      path: path.join("."),
    }));
    return { issues, uris: issues.some(({ path }) => path.startsWith("redirect_uris")) };
  }
  const { client_name, redirect_uris, grant_types, response_types } = parsed.data;
  const issues: Issue[] = [];
  if (grant_types?.includes("authorization_code") === false)
    issues.push({
      code: "INVALID_FIELD",
      message: "`grant_types` must include `authorization_code`.",
      path: "grant_types",
    });
  if (response_types?.includes("code") === false)
    issues.push({ code: "INVALID_FIELD", message: "`response_types` must include `code`.", path: "response_types" });
  const usable = redirect_uris.filter((uri) => destinationOf(uri) !== null);
  if (usable.length === 0) {
    const message =
      "No redirect URI can be used. Use an https address, http on this machine, or the program's own scheme.";
    issues.push({ code: "INVALID_FIELD", message, path: "redirect_uris" });
  }
  if (issues.length > 0) return { issues, uris: usable.length === 0 };
  return { metadata: { name: displayClientName(client_name ?? ""), redirectUris: [...new Set(usable)].sort() } };
}

/** What a document says of the client whose id is its address, or in a word why it says nothing of it. */
export function readDocument(address: string, text: string): { metadata: Metadata } | { problem: string } {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return { problem: "it is not JSON" };
  }
  const parsed = documentSchema.safeParse(said);
  if (!parsed.success) return { problem: "it has no client_id or no redirect_uris" };
  // Any other would let the host of one document speak for another's.
  if (parsed.data.client_id !== address) return { problem: "its client_id differs from its address" };
  const read = readMetadata(parsed.data);
  return "metadata" in read ? read : { problem: read.issues.map(({ message }) => message).join(" ") };
}

/** The text whose digest is the id of a program that registers itself: two that say the same are one. */
export function canonicalMetadata({ name, redirectUris }: Metadata): string {
  return JSON.stringify({ name, redirectUris });
}

/** How a registered program's id begins. */
export const REGISTERED = "dcr_";

/** A name that shows as one short line, whatever a stranger has put into it: no control, no direction, no pile of marks. */
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
