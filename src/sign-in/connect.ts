// /oauth/connect/{id}: a user connects an MCP server. The page shows the server and its issuer, proves the user, and sends the browser to
// the issuer; /oauth/connect/callback is the way back. /oauth/client.json describes the gateway to issuers.

import type { Context as HonoContext } from "hono";
import { sha256Hex } from "../domain/digest";
import { settingsFrom } from "../domain/settings/settings";
import { SIGN_IN_LIMITS, SIGN_IN_TIMES } from "../domain/sign-in/limits";
import { readBytes } from "../edge/body";
import { keyLookupContext, originOfRequest, signInContext } from "../edge/browser/context";
import { clearPageCookie, freshSecret, linkSecret, pageSecret, setPageCookie } from "../edge/browser/cookies";
import { sessionSecretIn } from "../edge/browser/session-cookie";
import { reportSignIn } from "../edge/conversation";
import type { HttpEnv } from "../edge/edge";
import { router } from "../edge/router";
import {
  beginAtServer,
  CLIENT_DOCUMENT,
  CONNECT_CALLBACK,
  CONNECT_PAGES,
  finishAtServer,
} from "../services/connections/connect";
import { beginExternalSignIn, externalIdentityOf, pageIdIn } from "../services/sign-in/external-issuer";
import type { SignInFailure } from "../services/sign-in/pages";
import { userByLink, userBySession, userByTyping } from "../services/sign-in/user-proof";
import {
  type ConnectRequestRow,
  countConnectAttempt,
  readConnectRequest,
} from "../storage/d1/servers/connect-requests";
import { readOpenedLink } from "../storage/d1/sign-in/links";
import { clientMetadataOf } from "../upstream/authorization";
import { connectedPage, connectPage } from "./connect-texts";
import { pageHeaders } from "./html";
import { isSameOriginForm } from "./page-session";
import { refuseWithPage } from "./refusal";
import { issuerHost } from "./show-page";

export const connectRoutes = router();

const ENDED = "This link expired (10 minutes), was already used, or belongs to another browser. Ask for a new one.";
const OTHER_USER: SignInFailure = {
  problem: "This link was made for another user. Sign in as that user, or ask for a link of your own.",
  guess: false,
};

/** The gateway's client metadata document, whose URL is its client id. */
connectRoutes.get(CLIENT_DOCUMENT, (c) => {
  const origin = originOfRequest(c);
  const document = {
    client_id: settingsFrom(c.env).OAUTH_CLIENT_ID_URL ?? origin + CLIENT_DOCUMENT,
    ...clientMetadataOf(origin + CONNECT_CALLBACK, origin),
    token_endpoint_auth_method: "none",
  };
  return c.json(document, 200, { "cache-control": "public, max-age=3600" });
});

connectRoutes.get(CONNECT_CALLBACK, async (c) => {
  const state = c.req.query("state") ?? "";
  const id = pageIdIn(state);
  const secret = pageSecret(c, id);
  if (secret === null) return refuseWithPage(c, ENDED);
  const { code = null, iss = null, error = null } = c.req.query();
  const place = { id, secret, origin: originOfRequest(c) };
  const connected = await finishAtServer(signInContext(c), place, { code, state, iss, error });
  clearPageCookie(c, id);
  if (connected.problem !== undefined) return refuseWithPage(c, connected.problem);
  const { request, proof } = connected;
  const { conversation, userId } = request;
  if (conversation !== null) c.executionCtx.waitUntil(reportSignIn(c.env, userId, conversation));
  if (request.returnTo !== null && proof !== null) {
    c.header("cache-control", "no-store");
    return c.redirect(`${request.returnTo}#connection=${connected.id}&proof=${proof}`, 303);
  }
  return page(c, connectedPage(request));
});

connectRoutes.get(`${CONNECT_PAGES}/:id`, async (c) => {
  const id = c.req.param("id");
  const request = await requestOf(c, id);
  if (request === null) return refuseWithPage(c, ENDED);
  if (pageSecret(c, id) === null) setPageCookie(c, id, freshSecret(), SIGN_IN_TIMES.page / 1_000);
  return showConnect(c, request);
});

connectRoutes.post(`${CONNECT_PAGES}/:id`, async (c) => {
  const id = c.req.param("id");
  const secret = pageSecret(c, id);
  if (secret === null || !isSameOriginForm(c)) return refuseWithPage(c, ENDED, 403);
  const request = await requestOf(c, id);
  if (request === null) return refuseWithPage(c, ENDED);
  const bytes = await readBytes(c.req.raw, SIGN_IN_LIMITS.formBytes);
  const form = new URLSearchParams(new TextDecoder().decode(bytes ?? new Uint8Array()));
  const how = form.get("how");
  if (how === "issuer") {
    const callback = `${originOfRequest(c)}/oauth/callback`;
    return c.redirect(await beginExternalSignIn(signInContext(c), keyLookupContext(c), id, secret, callback), 303);
  }
  // The page that asked proves its user afterwards, with the proof that this browser brings back.
  if (request.returnTo !== null) return how === "continue" ? toServer(c, request, secret) : refuseWithPage(c, ENDED);
  const user = await userIn(c, { id, browser: await sha256Hex(secret) }, how, form.get("key") ?? "");
  if ("problem" in user) return showConnect(c, request, user);
  return toServer(c, request, secret, user.userId);
});

/** Continues a sign-in to a server after its user has signed in at the configured issuer. */
export async function continueConnect(c: HonoContext<HttpEnv>, id: string, state: string): Promise<Response> {
  const secret = pageSecret(c, id);
  const request = secret === null ? null : await requestOf(c, id);
  if (secret === null || request === null) return refuseWithPage(c, ENDED);
  const answer = { code: c.req.query("code") ?? null, state, iss: c.req.query("iss") ?? null };
  const callback = `${originOfRequest(c)}/oauth/callback`;
  const who = await externalIdentityOf(signInContext(c), keyLookupContext(c), id, secret, answer, callback);
  if ("problem" in who) return showConnect(c, request, who);
  return toServer(c, request, secret, who.signedIn.userId);
}

/** Sends the browser to the issuer of the server, if the proved user is the one who asked. */
async function toServer(
  c: HonoContext<HttpEnv>,
  request: ConnectRequestRow,
  secret: string,
  userId: string | null = null,
): Promise<Response> {
  if (request.returnTo === null && userId !== request.userId) return showConnect(c, request, OTHER_USER);
  const url = await beginAtServer(signInContext(c), request, { secret, origin: originOfRequest(c) });
  if (url === null) return refuseWithPage(c, ENDED);
  c.header("cache-control", "no-store");
  return c.redirect(url, 303);
}

async function userIn(
  c: HonoContext<HttpEnv>,
  mine: { id: string; browser: string },
  how: string | null,
  typed: string,
): Promise<{ userId: string } | SignInFailure> {
  const context = signInContext(c);
  if (how === "session") {
    const userId = await userBySession(context, keyLookupContext(c), sessionSecretIn(c.env, c.req.raw));
    return userId === null
      ? { problem: "Your console session expired or is older than 15 minutes. Sign in again.", guess: false }
      : { userId };
  }
  if (how === "link") {
    const secret = linkSecret(c);
    if (secret === null) return { problem: "No valid sign-in link was opened in this browser.", guess: false };
    return userByLink(context, mine.id, { browser: await sha256Hex(secret) });
  }
  if (!(await countConnectAttempt(context.db, mine, SIGN_IN_LIMITS.tries)))
    return { problem: "Too many attempts on this page. Ask for a new link.", guess: true };
  return userByTyping(context, keyLookupContext(c), mine.id, typed);
}

async function showConnect(
  c: HonoContext<HttpEnv>,
  request: ConnectRequestRow,
  failure: SignInFailure | null = null,
): Promise<Response> {
  if (failure?.guess === true) c.set("unauthenticated", true);
  const context = signInContext(c);
  const opened = linkSecret(c);
  const [link, session] = await Promise.all([
    opened === null ? null : readOpenedLink(context.db, await sha256Hex(opened)),
    userBySession(context, keyLookupContext(c), sessionSecretIn(c.env, c.req.raw)),
  ]);
  const ways = {
    ...{ action: `${CONNECT_PAGES}/${request.id}`, origin: originOfRequest(c), problem: failure?.problem ?? null },
    ...{ link: link?.userId ?? null, session, issuer: issuerHost(settingsFrom(c.env)) },
  };
  return page(c, connectPage(request, ways), failure === null ? 200 : 400);
}

function requestOf(c: HonoContext<HttpEnv>, id: string): Promise<ConnectRequestRow | null> {
  const secret = pageSecret(c, id);
  const { db } = signInContext(c);
  return secret === null
    ? readConnectRequest(db, id, null)
    : sha256Hex(secret).then((browser) => readConnectRequest(db, id, browser));
}

/** A page, with the cookies that the request sets. */
async function page(c: HonoContext<HttpEnv>, text: string, status: 200 | 400 = 200): Promise<Response> {
  for (const [name, value] of Object.entries(await pageHeaders())) c.header(name, value);
  return c.body(text, status);
}
