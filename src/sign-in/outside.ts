// Signing in at the organization's own issuer: the way there, and /oauth/callback, the way back.

import type { Context as HonoContext } from "hono";
import type { HttpEnv } from "../edge/env";
import { router } from "../edge/router";
import { beginOutside, finishOutside, pageIdIn } from "../services/sign-in/outside";
import { readPage } from "../storage/d1/sign-in/pages";
import { lookingIn, originIn, signInContext } from "./context";
import { pageSecret } from "./cookies";
import { ENDED, pageIn, pagePlace } from "./page-of";
import { refusePage } from "./refusal";
import { showPage } from "./show";

const CALLBACK = "/oauth/callback";

/** Sends the browser to the issuer. */
export async function beginAtIssuer(c: HonoContext<HttpEnv>, id: string): Promise<Response> {
  const secret = pageSecret(c, id) ?? "";
  const callback = originIn(c) + CALLBACK;
  return c.redirect(await beginOutside(signInContext(c), lookingIn(c), id, secret, callback), 303);
}

export const callbackRoutes = router();

callbackRoutes.get(CALLBACK, async (c) => {
  const state = c.req.query("state") ?? "";
  const id = pageIdIn(state);
  const mine = await pageIn(c, id);
  const context = signInContext(c);
  const page = mine === null ? null : await readPage(context.db, mine);
  if (mine === null || page === null) return refusePage(c, ENDED);
  // Somebody has signed in: an answer that comes again changes nothing, and its code is not shown to the issuer again.
  if (page.stage !== "open") return c.redirect(pagePlace(c, id), 303);
  const answer = { code: c.req.query("code") ?? null, state, iss: c.req.query("iss") ?? null };
  const callback = originIn(c) + CALLBACK;
  const problem = await finishOutside(context, lookingIn(c), mine, pageSecret(c, id) ?? "", answer, callback);
  return problem === null ? c.redirect(pagePlace(c, id), 303) : showPage(c, page, problem);
});
