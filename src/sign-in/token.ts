// POST /oauth/token and /oauth/revoke: programs exchange a code or a refresh token, or revoke one.

import type { Context as HonoContext } from "hono";
import { rateHeaders } from "../domain/access/rate";
import { GatewayError, HTTP_STATUS, refusalIn } from "../domain/errors";
import { settingsFrom } from "../domain/settings/settings";
import { hasBuiltInSignIn } from "../domain/settings/sign-in";
import { publicOrigin, readResource } from "../domain/sign-in/resource";
import { signInContext } from "../edge/browser/context";
import type { HttpEnv } from "../edge/edge";
import { pathNotFound } from "../edge/errors";
import { grantRate } from "../edge/rate";
import { router } from "../edge/router";
import type { SignInContext } from "../services/sign-in/context";
import { exchangeGrantCode, exchangeRefresh, type IssuedTokens } from "../services/sign-in/exchange";
import { proveClient } from "../services/sign-in/pre-registered-clients";
import { revokeToken } from "../services/sign-in/revocation";
import { invalidRequest, readTokenForm, type TokenForm } from "./form";

export const tokenRoutes = router();

tokenRoutes.post("/oauth/token", async (c) => {
  if (!hasBuiltInSignIn(settingsFrom(c.env))) return pathNotFound(c);
  try {
    const tokens = await exchange(c, await readTokenForm(c));
    return c.json(tokens, 200, NEVER_KEPT);
  } catch (error) {
    return refused(c, error);
  }
});

tokenRoutes.post("/oauth/revoke", async (c) => {
  if (!hasBuiltInSignIn(settingsFrom(c.env))) return pathNotFound(c);
  try {
    const form = await readTokenForm(c);
    const context = signInContext(c);
    const token = form.need("token");
    if (form.client !== null) await proveClient(context, form.client);
    await revokeToken(context, token, form.client?.id ?? null);
    return new Response(null, { status: 200, headers: NEVER_KEPT });
  } catch (error) {
    return refused(c, error);
  }
});

const NEVER_KEPT = { "cache-control": "no-store", pragma: "no-cache" };

async function exchange(c: HonoContext<HttpEnv>, form: TokenForm): Promise<IssuedTokens> {
  const context = signInContext(c);
  const resource = resourceIn(c, form);
  switch (form.need("grant_type")) {
    case "authorization_code": {
      form.expect("code", "client_id", "redirect_uri", "code_verifier");
      const [code, redirectUri, verifier] = [form.need("code"), form.need("redirect_uri"), form.need("code_verifier")];
      if (!VERIFIER.test(verifier))
        throw invalidRequest("`code_verifier` is not valid. Use 43 to 128 of A-Za-z0-9-._~ (RFC 7636).");
      const clientId = await provenClient(context, form);
      return exchangeGrantCode(context, { code, clientId, redirectUri, verifier, resource });
    }
    case "refresh_token": {
      form.expect("refresh_token", "client_id");
      const token = form.need("refresh_token");
      const clientId = await provenClient(context, form);
      return exchangeRefresh(context, { token, clientId, resource }, (grantId) => grantRate(c, grantId));
    }
    default:
      throw new GatewayError(
        "invalid",
        "UNSUPPORTED_GRANT_TYPE",
        "`grant_type` is not supported. Use `authorization_code` or `refresh_token`.",
      );
  }
}

/** The id of the requesting program, after it has authenticated if it must. */
async function provenClient(context: SignInContext, { client }: TokenForm): Promise<string> {
  if (client === null) throw invalidRequest("`client_id` is missing.");
  await proveClient(context, client);
  return client.id;
}

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Canonical; `null` if the host omitted it. */
function resourceIn(c: HonoContext<HttpEnv>, form: TokenForm): string | null {
  const text = form.get("resource");
  if (text === null) return null;
  const resource = readResource(publicOrigin(settingsFrom(c.env), c.req.url), text);
  if (resource !== null) return resource;
  throw new GatewayError(
    "invalid",
    "INVALID_TARGET",
    "`resource` is not an MCP URL of this gateway. Send the URL of one of its MCP servers.",
  );
}

/** OAuth's error codes (RFC 6749, 5.2; RFC 8707), by our own code. */
const OAUTH_ERRORS: Record<string, string> = {
  INVALID_CLIENT: "invalid_client",
  INVALID_GRANT: "invalid_grant",
  INVALID_TARGET: "invalid_target",
  UNSUPPORTED_GRANT_TYPE: "unsupported_grant_type",
};

/** Returns an OAuth error for the gateway's errors; other errors are thrown again. */
function refused(c: HonoContext<HttpEnv>, error: unknown): Response {
  const refusal = refusalIn(error);
  if (refusal === null) throw error;
  c.set("problem", refusal.reason);
  const isTemporary = refusal.code === "rate_limited" || refusal.code === "unavailable";
  const code = isTemporary ? "temporarily_unavailable" : (OAUTH_ERRORS[refusal.reason] ?? "invalid_request");
  const body = { error: code, error_description: refusal.message };
  if (code === "invalid_client") c.header("www-authenticate", 'Basic realm="Skill Gateway"');
  return c.json(body, HTTP_STATUS[refusal.code], { ...NEVER_KEPT, ...rateHeaders(refusal) });
}
