// GET /oauth/authorize: the address to which a program sends its user. It redirects to the page of this sign-in, or back with an error.

import type { Context as HonoContext } from "hono";
import { sha256Hex } from "../domain/digest";
import { settingsFrom } from "../domain/settings/settings";
import { hasBuiltInSignIn } from "../domain/settings/sign-in";
import { SIGN_IN_TIMES } from "../domain/sign-in/limits";
import { isRegistered, withAnswer } from "../domain/sign-in/redirect";
import { readAsker, readGrantRequest, stateOf } from "../domain/sign-in/request";
import { addressOfRequest, fetchExternal, originOfRequest, signInContext } from "../edge/browser/context";
import { freshSecret, setPageCookie } from "../edge/browser/cookies";
import type { HttpEnv } from "../edge/edge";
import { pathNotFound } from "../edge/errors";
import { router } from "../edge/router";
import { findClient } from "../services/sign-in/clients";
import { openPage } from "../services/sign-in/pages";
import { pagePlace } from "./page-session";
import { oauthDescription, refuseWithPage } from "./refusal";

export const authorizeRoutes = router();

authorizeRoutes.get("/oauth/authorize", async (c) => {
  if (!hasBuiltInSignIn(settingsFrom(c.env))) return pathNotFound(c);
  const query = new URL(c.req.url).searchParams;
  const origin = originOfRequest(c);
  const asker = readAsker(query);
  if (asker.problem !== undefined)
    return refuseWithPage(c, `The program sent an invalid sign-in request. ${asker.problem}`);
  const context = signInContext(c);
  const found = await findClient(context, asker.clientId, { origin, address: addressOfRequest(c), ask: fetchExternal });
  if ("problem" in found) return refuseWithPage(c, found.problem);
  const { client } = found;
  // Until the address is confirmed as the program's own, nothing is sent to it, not even an error.
  if (!isRegistered(client.redirectUris, asker.redirectUri))
    return refuseWithPage(c, "The redirect URI of the program is not registered.");
  const read = readGrantRequest(query, origin);
  if ("refusal" in read) {
    const { error, error_description } = read.refusal;
    return answerProgram(c, asker.redirectUri, stateOf(query), {
      error,
      error_description: oauthDescription(error_description),
    });
  }
  const secret = freshSecret();
  const asks = { client, redirectUri: asker.redirectUri, wanted: read.wanted };
  const id = await openPage(context, addressOfRequest(c), await sha256Hex(secret), asks);
  setPageCookie(c, id, secret, SIGN_IN_TIMES.page / 1_000);
  return c.redirect(pagePlace(c, id), 303);
});

/** Redirects the browser to the program with the result. The result names its issuer (RFC 9207). */
export function answerProgram(
  c: HonoContext<HttpEnv>,
  redirectUri: string,
  state: string | null,
  answer: Record<string, string>,
): Response {
  c.header("cache-control", "no-store");
  return c.redirect(withAnswer(redirectUri, { ...answer, state, iss: originOfRequest(c) }), 303);
}
