// POST /oauth/token and /oauth/revoke: programs exchange what they were given, or give it back.

import type { Context as HonoContext } from "hono";
import { rateHeaders } from "../domain/access/rate";
import { GatewayError, HTTP_STATUS, refusalIn } from "../domain/errors";
import { settingsFrom } from "../domain/settings/settings";
import { hasOwnSignIn } from "../domain/settings/sign-in";
import { GRANT_LIMITS } from "../domain/sign-in/limits";
import { publicOrigin, readResource } from "../domain/sign-in/resource";
import { readBytes } from "../edge/body";
import { signInContext } from "../edge/browser/context";
import type { HttpEnv } from "../edge/env";
import { nothingHere } from "../edge/errors";
import { grantRate } from "../edge/rate";
import { router } from "../edge/router";
import { exchangeGrantCode, exchangeRefresh, type IssuedTokens } from "../services/sign-in/exchange";
import { revokeToken } from "../services/sign-in/revocation";

export const tokenRoutes = router();

tokenRoutes.post("/oauth/token", async (c) => {
  if (!hasOwnSignIn(settingsFrom(c.env))) return nothingHere(c);
  try {
    const tokens = await exchange(c, await readForm(c));
    return c.json(tokens, 200, NEVER_KEPT);
  } catch (error) {
    return refused(c, error);
  }
});

tokenRoutes.post("/oauth/revoke", async (c) => {
  if (!hasOwnSignIn(settingsFrom(c.env))) return nothingHere(c);
  try {
    const form = await readForm(c);
    await revokeToken(signInContext(c), form.need("token"), form.get("client_id"));
    return new Response(null, { status: 200, headers: NEVER_KEPT });
  } catch (error) {
    return refused(c, error);
  }
});

const NEVER_KEPT = { "cache-control": "no-store", pragma: "no-cache" };

function exchange(c: HonoContext<HttpEnv>, form: Form): Promise<IssuedTokens> {
  const context = signInContext(c);
  const resource = resourceIn(c, form);
  switch (form.need("grant_type")) {
    case "authorization_code": {
      form.expect("code", "client_id", "redirect_uri", "code_verifier");
      const [code, clientId] = [form.need("code"), form.need("client_id")];
      const [redirectUri, verifier] = [form.need("redirect_uri"), form.need("code_verifier")];
      if (!VERIFIER.test(verifier)) throw invalidRequest("code_verifier is 43 to 128 of A-Za-z0-9-._~ (RFC 7636).");
      return exchangeGrantCode(context, { code, clientId, redirectUri, verifier, resource });
    }
    case "refresh_token": {
      form.expect("refresh_token", "client_id");
      const shown = { token: form.need("refresh_token"), clientId: form.need("client_id"), resource };
      return exchangeRefresh(context, shown, (grantId) => grantRate(c, grantId));
    }
    default:
      throw new GatewayError(
        "invalid",
        "UNSUPPORTED_GRANT_TYPE",
        "grant_type is authorization_code or refresh_token here.",
      );
  }
}

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Canonical; `null` where the host has left it out. */
function resourceIn(c: HonoContext<HttpEnv>, form: Form): string | null {
  const text = form.get("resource");
  if (text === null) return null;
  const resource = readResource(publicOrigin(settingsFrom(c.env), c.req.url), text);
  if (resource !== null) return resource;
  throw new GatewayError("invalid", "INVALID_TARGET", "resource is no MCP URL of this gateway.");
}

/** The parameters of a request. A parameter that is sent twice is none that anybody can mean. */
interface Form {
  get(name: string): string | null;
  need(name: string): string;
  /** Refuses the request unless all of these are there, and names all that are not. */
  expect(...names: string[]): void;
}

async function readForm(c: HonoContext<HttpEnv>): Promise<Form> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(c.req.header("content-type") ?? ""))
    throw invalidRequest("Send the parameters as application/x-www-form-urlencoded.");
  const bytes = await readBytes(c.req.raw, GRANT_LIMITS.formBytes);
  if (bytes === null) throw new GatewayError("too_large", "BODY_TOO_LARGE", "The parameters are too large.");
  const form = new URLSearchParams(new TextDecoder().decode(bytes));
  for (const name of form.keys()) {
    // RFC 8707 lets `resource` be sent more than once; a grant here is for one.
    if (form.getAll(name).length > 1) throw invalidRequest(`${name} is there more than once.`);
  }
  const get = (name: string) => form.get(name) || null;
  const expect = (...names: string[]) => {
    const missing = names.filter((name) => get(name) === null);
    if (missing.length > 0) throw invalidRequest(`Send ${missing.join(", ")}.`);
  };
  const need = (name: string) => {
    expect(name);
    return get(name) ?? "";
  };
  return { get, need, expect };
}

function invalidRequest(message: string): GatewayError {
  return new GatewayError("invalid", "INVALID_REQUEST", message);
}

/** What OAuth calls a refusal (RFC 6749, 5.2; RFC 8707). */
const OAUTH_ERRORS: Record<string, string> = {
  INVALID_GRANT: "invalid_grant",
  INVALID_TARGET: "invalid_target",
  UNSUPPORTED_GRANT_TYPE: "unsupported_grant_type",
};

/** Answers a refusal in OAuth's words; anything else is thrown on. */
function refused(c: HonoContext<HttpEnv>, error: unknown): Response {
  const refusal = refusalIn(error);
  if (refusal === null) throw error;
  c.set("problem", refusal.reason);
  const isTemporary = refusal.code === "rate_limited" || refusal.code === "unavailable";
  const code = isTemporary ? "temporarily_unavailable" : (OAUTH_ERRORS[refusal.reason] ?? "invalid_request");
  const body = { error: code, error_description: refusal.message };
  return c.json(body, HTTP_STATUS[refusal.code], { ...NEVER_KEPT, ...rateHeaders(refusal) });
}
