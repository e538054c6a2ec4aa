// Sign-in at the organization's own issuer: the redirect to it, and /oauth/callback.

import type { Context as HonoContext } from "hono";
import { settingsFrom } from "../domain/settings/settings";
import { keyLookupContext, originOfRequest, signInContext } from "../edge/browser/context";
import { clearPageCookie, pageSecret } from "../edge/browser/cookies";
import { sessionCookie, sessionSecretIn } from "../edge/browser/session-cookie";
import type { HttpEnv } from "../edge/edge";
import { router } from "../edge/router";
import { isConnectRequest } from "../services/connections/connect";
import { finishExternalConsoleSignIn, isConsoleTransaction } from "../services/console/external-sign-in";
import { beginSession } from "../services/console/sign-in";
import { beginExternalSignIn, finishExternalSignIn, pageIdIn } from "../services/sign-in/external-issuer";
import { readPage } from "../storage/d1/sign-in/pages";
import { continueConnect } from "./connect";
import { ENDED, pageIn, pagePlace } from "./page-session";
import { refuseWithPage } from "./refusal";
import { showPage } from "./show-page";

const CALLBACK = "/oauth/callback";

/** Sends the browser to the issuer. */
export async function beginAtIssuer(c: HonoContext<HttpEnv>, id: string): Promise<Response> {
  const secret = pageSecret(c, id) ?? "";
  const callback = originOfRequest(c) + CALLBACK;
  return c.redirect(await beginExternalSignIn(signInContext(c), keyLookupContext(c), id, secret, callback), 303);
}

export const callbackRoutes = router();

callbackRoutes.get(CALLBACK, async (c) => {
  const state = c.req.query("state") ?? "";
  const id = pageIdIn(state);
  if (isConsoleTransaction(id)) return intoConsole(c, id, state);
  if (isConnectRequest(id)) return continueConnect(c, id, state);
  const mine = await pageIn(c, id);
  const context = signInContext(c);
  const page = mine === null ? null : await readPage(context.db, mine);
  if (mine === null || page === null) return refuseWithPage(c, ENDED);
  // The user has already signed in: a repeated response changes nothing, and its code is not sent to the issuer again.
  if (page.stage !== "open") return c.redirect(pagePlace(c, id), 303);
  const answer = { code: c.req.query("code") ?? null, state, iss: c.req.query("iss") ?? null };
  const callback = originOfRequest(c) + CALLBACK;
  const problem = await finishExternalSignIn(
    context,
    keyLookupContext(c),
    mine,
    pageSecret(c, id) ?? "",
    answer,
    callback,
  );
  return problem === null ? c.redirect(pagePlace(c, id), 303) : showPage(c, page, problem);
});

/** The same callback for a sign-in to the console: its session begins here, in a cookie that only the console's edge reads. */
async function intoConsole(c: HonoContext<HttpEnv>, id: string, state: string): Promise<Response> {
  const secret = pageSecret(c, id);
  if (settingsFrom(c.env).CONSOLE === "off" || secret === null) return refuseWithPage(c, ENDED);
  const answer = { code: c.req.query("code") ?? null, state, iss: c.req.query("iss") ?? null };
  const asked = { id, secret, callback: originOfRequest(c) + CALLBACK };
  const context = signInContext(c);
  const found = await finishExternalConsoleSignIn(context, keyLookupContext(c), asked, answer);
  clearPageCookie(c, id);
  if ("problem" in found) return refuseWithPage(c, found.problem);
  const made = await beginSession(context, found.session, sessionSecretIn(c.env, c.req.raw));
  c.header("set-cookie", sessionCookie(c.env, c.req.url, made.secret, made.life), { append: true });
  c.header("cache-control", "no-store");
  return c.redirect(originOfRequest(c) + found.returnTo, 303);
}
