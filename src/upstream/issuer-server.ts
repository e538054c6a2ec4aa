// Asking the configured issuer: where people sign in there (its metadata), and for the token that a code stands for. The operator has
// named it, so it is trusted to be what it says; its answers have caps on time and size all the same.

import * as z from "zod";
import { DURATIONS } from "../domain/durations";
import { GatewayError } from "../domain/errors";
import { ACCESS_LIMITS } from "../domain/limits";
import { isKeyAddress } from "../domain/settings/issuer";

/** How an address is asked. */
type Ask = (url: string, init: RequestInit) => Promise<Response>;

const metadataSchema = z.lazy(() =>
  z.looseObject({ issuer: z.string(), authorization_endpoint: z.url(), token_endpoint: z.url() }),
);
const tokensSchema = z.lazy(() => z.looseObject({ id_token: z.string() }));

/** Where an issuer signs people in, and where it takes codes. */
export interface IssuerServer {
  authorize: string;
  token: string;
}

/**
 * Reads an issuer's metadata (OpenID Connect Discovery). Throws `unavailable` where it does not answer, or speaks of another issuer.
 * @param development whether it may be plain http of this machine
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

/** The gateway's client at the issuer. */
export interface IssuerClient {
  id: string;
  secret: string | undefined;
}

/** Exchanges a code for an ID token. Throws `unavailable` where there is none. */
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
    // Neither code nor token is in it: zod says what is missing, and JSON where it broke off.
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
