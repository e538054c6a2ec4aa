// /oauth/sign-in/{id}: one sign-in, in the browser that began it. The page shows the requesting program, then the account it would act for,
// and takes the user's decision.

import type { Context as HonoContext } from "hono";
import { sha256Hex } from "../domain/digest";
import { SIGN_IN_LIMITS } from "../domain/sign-in/limits";
import { readBytes } from "../edge/body";
import { keyLookupContext, signInContext } from "../edge/browser/context";
import { clearPageCookie, linkSecret, pageSecret } from "../edge/browser/cookies";
import type { HttpEnv } from "../edge/edge";
import { router } from "../edge/router";
import { approve, type SignInFailure, signInByLink, signInByTyping } from "../services/sign-in/pages";
import { clearSignedInUser, denyPage, type PageOf, readPage } from "../storage/d1/sign-in/pages";
import { answerProgram } from "./authorize";
import { beginAtIssuer } from "./external-issuer";
import { ENDED, isSameOriginForm, PAGES, pageIn, pagePlace } from "./page-session";
import { refuseWithPage } from "./refusal";
import { showPage } from "./show-page";

export const pageRoutes = router();

pageRoutes.get(`${PAGES}/:id`, async (c) => {
  const mine = await pageIn(c, c.req.param("id"));
  const page = mine === null ? null : await readPage(signInContext(c).db, mine);
  return page === null ? refuseWithPage(c, ENDED) : showPage(c, page);
});

pageRoutes.post(`${PAGES}/:id`, async (c) => {
  const mine = await pageIn(c, c.req.param("id"));
  if (mine === null || !isSameOriginForm(c)) return refuseWithPage(c, ENDED, 403);
  const bytes = await readBytes(c.req.raw, SIGN_IN_LIMITS.formBytes);
  const form = new URLSearchParams(new TextDecoder().decode(bytes ?? new Uint8Array()));
  const context = signInContext(c);
  const how = form.get("how");
  if (how === "deny") {
    const denied = await denyPage(context.db, mine);
    if (denied === null) return refuseWithPage(c, ENDED);
    clearPageCookie(c, mine.id);
    const denial = { error: "access_denied", error_description: "The user denied the request." };
    return answerProgram(c, denied.redirectUri, denied.state, denial);
  }
  const page = await readPage(context.db, mine);
  if (how === "approve") {
    const allowed = await approve(context, mine, page, pageSecret(c, mine.id) ?? "");
    if (allowed === null) return refuseWithPage(c, ENDED);
    clearPageCookie(c, mine.id);
    return answerProgram(c, allowed.page.redirectUri, allowed.page.state, { code: allowed.code });
  }
  if (page === null) return refuseWithPage(c, ENDED);
  if (how === "again") {
    await clearSignedInUser(context.db, mine);
    return c.redirect(pagePlace(c, mine.id), 303);
  }
  if (how === "issuer") return beginAtIssuer(c, mine.id);
  const problem = await signedIn(c, mine, how, form.get("key") ?? "");
  return problem === null ? c.redirect(pagePlace(c, mine.id), 303) : showPage(c, page, problem);
});

async function signedIn(
  c: HonoContext<HttpEnv>,
  mine: PageOf,
  how: string | null,
  typed: string,
): Promise<SignInFailure | null> {
  const context = signInContext(c);
  if (how !== "link") return signInByTyping(context, keyLookupContext(c), mine, typed);
  const secret = linkSecret(c);
  if (secret === null) return { problem: "No valid sign-in link was opened in this browser.", guess: false };
  return signInByLink(context, mine, { browser: await sha256Hex(secret) });
}
