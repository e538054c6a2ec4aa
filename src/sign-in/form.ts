// The body of requests to the token endpoint: its parameters and the client's credentials.

import type { Context as HonoContext } from "hono";
import { GatewayError } from "../domain/errors";
import { GRANT_LIMITS } from "../domain/sign-in/limits";
import { readBytes } from "../edge/body";
import type { HttpEnv } from "../edge/edge";
import { type PresentedClient, unprovenClient } from "../services/sign-in/pre-registered-clients";

/** Reads the parameters of a request. A parameter that is sent twice is rejected. */
export interface TokenForm {
  get(name: string): string | null;
  need(name: string): string;
  /** Rejects the request unless all of these parameters are present, and names the missing ones. */
  expect(...names: string[]): void;
  /** The client, from the header or the parameters. `null` if neither names one. */
  client: PresentedClient | null;
}

export async function readTokenForm(c: HonoContext<HttpEnv>): Promise<TokenForm> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(c.req.header("content-type") ?? ""))
    throw invalidRequest("Content type not supported. Send the parameters as application/x-www-form-urlencoded.");
  const bytes = await readBytes(c.req.raw, GRANT_LIMITS.formBytes);
  if (bytes === null)
    throw new GatewayError(
      "too_large",
      "BODY_TOO_LARGE",
      `The parameters are too large (limit ${GRANT_LIMITS.formBytes / 1_024} KiB). Send less.`,
    );
  const form = new URLSearchParams(new TextDecoder().decode(bytes));
  for (const name of form.keys()) {
    // RFC 8707 allows several `resource` parameters. A grant here is for one.
    if (form.getAll(name).length > 1) throw invalidRequest(`${name} is sent more than once. Send it once.`);
  }
  const get = (name: string) => form.get(name) || null;
  const client = clientIn(c.req.header("authorization") ?? "", get);
  const isThere = (name: string) => get(name) !== null || (name === "client_id" && client !== null);
  const expect = (...names: string[]) => {
    const missing = names.filter((name) => !isThere(name));
    if (missing.length > 0) throw invalidRequest(`Missing parameters: ${missing.join(", ")}.`);
  };
  const need = (name: string) => {
    expect(name);
    return get(name) ?? "";
  };
  return { get, need, expect, client };
}

export function invalidRequest(message: string): GatewayError {
  return new GatewayError("invalid", "INVALID_REQUEST", message);
}

/** RFC 6749, 2.3.1: `client_secret_basic` or `client_secret_post`, but not both. */
function clientIn(authorization: string, get: TokenForm["get"]): PresentedClient | null {
  const [posted, secret] = [get("client_id"), get("client_secret")];
  if (!/^basic(?: |$)/i.test(authorization)) return posted === null ? null : { id: posted, secret };
  const shown = readBasic(authorization.slice("basic".length).trim());
  if (shown === null) throw unprovenClient();
  if (secret !== null || (posted !== null && posted !== shown.id))
    throw invalidRequest(
      "Client credentials are sent twice. Use either the `Authorization` header or `client_id` and `client_secret`.",
    );
  return shown;
}

/** Returns the two form-encoded parts of a `Basic` header; `null` for any other header. */
function readBasic(text: string): PresentedClient | null {
  try {
    const [, id, secret] = /^([^:]+):(.*)$/s.exec(atob(text)) ?? [];
    const plain = (part: string) => decodeURIComponent(part.replaceAll("+", " "));
    return id === undefined || secret === undefined ? null : { id: plain(id), secret: plain(secret) };
  } catch {
    return null;
  }
}
