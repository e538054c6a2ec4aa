// GET /oauth/authorize: where a program sends its user. It leads to the page of this one sign-in, or back with what is wrong.

import type { Context as HonoContext } from "hono";
import { sha256Hex } from "../domain/digest";
import { settingsFrom } from "../domain/settings/settings";
import { hasOwnSignIn } from "../domain/settings/sign-in";
import { SIGN_IN_TIMES } from "../domain/sign-in/limits";
import { isRegistered, withAnswer } from "../domain/sign-in/redirect";
import { readAsker, readWanted, stateOf } from "../domain/sign-in/request";
import { addressIn, askOutside, originIn, signInContext } from "../edge/browser/context";
import { freshSecret, givePage } from "../edge/browser/cookies";
import type { HttpEnv } from "../edge/env";
import { nothingHere } from "../edge/errors";
import { router } from "../edge/router";
import { findClient } from "../services/sign-in/clients";
import { openPage } from "../services/sign-in/pages";
import { pagePlace } from "./page-of";
import { plain, refusePage } from "./refusal";

export const authorizeRoutes = router();

authorizeRoutes.get("/oauth/authorize", async (c) => {
  if (!hasOwnSignIn(settingsFrom(c.env))) return nothingHere(c);
  const query = new URL(c.req.url).searchParams;
  const origin = originIn(c);
  const asker = readAsker(query);
  if (asker.problem !== undefined)
    return refusePage(c, `The program sent an invalid sign-in request. ${asker.problem}`);
  const context = signInContext(c);
  const found = await findClient(context, asker.clientId, { origin, address: addressIn(c), ask: askOutside });
  if ("problem" in found) return refusePage(c, found.problem);
  const { client } = found;
  // Before this is known to be the program's own, nothing is sent there: not even what is wrong.
  if (!isRegistered(client.redirectUris, asker.redirectUri))
    return refusePage(c, "The redirect URI of the program is not registered.");
  const read = readWanted(query, origin);
  if ("refusal" in read) {
    const { error, error_description } = read.refusal;
    return answerProgram(c, asker.redirectUri, stateOf(query), { error, error_description: plain(error_description) });
  }
  const secret = freshSecret();
  const asks = { client, redirectUri: asker.redirectUri, wanted: read.wanted };
  const id = await openPage(context, addressIn(c), await sha256Hex(secret), asks);
  givePage(c, id, secret, SIGN_IN_TIMES.page / 1_000);
  return c.redirect(pagePlace(c, id), 303);
});

/** Sends the browser back to the program with its answer, which names who gives it (RFC 9207). */
export function answerProgram(
  c: HonoContext<HttpEnv>,
  redirectUri: string,
  state: string | null,
  answer: Record<string, string>,
): Response {
  c.header("cache-control", "no-store");
  return c.redirect(withAnswer(redirectUri, { ...answer, state, iss: originIn(c) }), 303);
}
