// Sends requests to issuers: reads their metadata and exchanges codes for tokens. Responses have limits on time and size. The operator
// configured the issuer of sign-ins. For issuers of publishers, `ask` must be a guarded fetch.

import * as z from "zod";
import { DURATIONS } from "../domain/durations";
import { GatewayError } from "../domain/errors";
import { ACCESS_LIMITS } from "../domain/limits";
import { isKeyAddress } from "../domain/settings/issuer";

/** Fetches a URL. */
type Ask = (url: string, init: RequestInit) => Promise<Response>;

const metadataSchema = z.lazy(() =>
  z.looseObject({ issuer: z.string(), authorization_endpoint: z.url(), token_endpoint: z.url() }),
);
const keysMetadataSchema = z.lazy(() => z.looseObject({ issuer: z.string(), jwks_uri: z.url() }));
const tokensSchema = z.lazy(() => z.looseObject({ id_token: z.string() }));

/** The authorization and token endpoints of an issuer. */
export interface IssuerServer {
  authorize: string;
  token: string;
}

/**
 * Reads an issuer's metadata (OpenID Connect Discovery). Throws `unavailable` if the issuer does not respond, or if the metadata names
 * another issuer.
 * @param development whether plain http on this machine is allowed
 */
export async function readIssuerServer(issuer: string, ask: Ask, development: boolean): Promise<IssuerServer> {
  const metadata = await askJson(
    `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    {},
    ask,
    metadataSchema,
  );
  const { authorization_endpoint: authorize, token_endpoint: token } = metadata;
  const isGood = metadata.issuer === issuer && [authorize, token].every((url) => isKeyAddress(url, development));
  if (isGood) return { authorize, token };
  console.error(JSON.stringify({ event: "issuer_metadata_refused", issuer: metadata.issuer }));
  throw unavailable();
}

/**
 * Reads the URL of an issuer's keys from its metadata (OpenID Connect Discovery). Throws `unavailable` if the issuer does not respond, or
 * if the metadata names another issuer or an address that is not allowed.
 */
export async function readKeysUrl(issuer: string, ask: Ask, development: boolean): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const metadata = await askJson(url, {}, ask, keysMetadataSchema);
  if (metadata.issuer === issuer && isKeyAddress(metadata.jwks_uri, development)) return metadata.jwks_uri;
  console.error(JSON.stringify({ event: "issuer_metadata_refused", issuer: metadata.issuer }));
  throw unavailable();
}

/** The gateway's client at the issuer. */
export interface IssuerClient {
  id: string;
  secret: string | undefined;
}

/** Exchanges a code for an ID token. Throws `unavailable` if the issuer returns none. */
export async function exchangeIssuerCode(
  url: string,
  client: IssuerClient,
  given: { code: string; redirectUri: string; verifier: string },
  ask: Ask,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code: given.code,
    redirect_uri: given.redirectUri,
    code_verifier: given.verifier,
  });
  const headers: Record<string, string> = {};
  if (client.secret === undefined) body.set("client_id", client.id);
  else headers.authorization = `Basic ${btoa(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`)}`;
  return (await askJson(url, { method: "POST", headers, body }, ask, tokensSchema)).id_token;
}

async function askJson<T>(url: string, init: RequestInit, ask: Ask, schema: z.ZodType<T>): Promise<T> {
  try {
    const headers = { ...init.headers, accept: "application/json" };
    const signal = AbortSignal.timeout(DURATIONS.keySetFetch);
    const answer = await ask(url, { ...init, headers, redirect: "manual", signal });
    const text = await readText(answer);
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    return schema.parse(JSON.parse(text));
  } catch (error) {
    // Only the name of the error is logged, so that neither code nor token can appear in the log.
    console.error(JSON.stringify({ event: "issuer_failed", error: error instanceof Error ? error.name : "unknown" }));
    throw unavailable();
  }
}

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > ACCESS_LIMITS.keySetBytes) throw new Error("too large");
    chunks.push(chunk);
  }
  return new Blob(chunks).text();
}

function unavailable(): GatewayError {
  const message = "The sign-in service of your organization does not respond correctly. Try again in a moment.";
  return new GatewayError("unavailable", "ISSUER_UNAVAILABLE", message);
}
