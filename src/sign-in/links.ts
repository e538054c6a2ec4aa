// /oauth/link/{secret}: a link that signs a user in once. Opening it changes nothing. Its button binds it to this browser.

import type { Context as HonoContext } from "hono";
import { sha256Hex } from "../domain/digest";
import { settingsFrom } from "../domain/settings/settings";
import { hasBuiltInSignIn } from "../domain/settings/sign-in";
import { SIGN_IN_TIMES } from "../domain/sign-in/limits";
import { readLinkSecret } from "../domain/sign-in/link";
import { signInContext } from "../edge/browser/context";
import { freshSecret, setLinkCookie, startedPages } from "../edge/browser/cookies";
import type { HttpEnv } from "../edge/edge";
import { pathNotFound } from "../edge/errors";
import { router } from "../edge/router";
import { openLink, readLink } from "../storage/d1/sign-in/links";
import { readPage } from "../storage/d1/sign-in/pages";
import { pageHeaders } from "./html";
import { isSameOriginForm, pageIn, pagePlace } from "./page-session";
import { linkPage, waitingPage } from "./page-texts";
import { refuseWithPage } from "./refusal";

export const linkRoutes = router();

/** The path of sign-in links. */
export const LINKS = "/oauth/link";

const OVER = "This sign-in link expired (10 minutes) or was already used. Request another link.";

linkRoutes.get(`${LINKS}/:secret`, async (c) => {
  if (!hasBuiltInSignIn(settingsFrom(c.env))) return pathNotFound(c);
  const link = await readLink(signInContext(c).db, await digestIn(c));
  if (link === null || link.browser !== null) return refused(c);
  return new Response(linkPage(c.req.path, link.userId), { headers: await pageHeaders() });
});

linkRoutes.post(`${LINKS}/:secret`, async (c) => {
  if (!hasBuiltInSignIn(settingsFrom(c.env))) return pathNotFound(c);
  if (!isSameOriginForm(c)) return refuseWithPage(c, "Open the link in a browser and press the button there.", 403);
  const { db } = signInContext(c);
  const hash = await digestIn(c);
  const link = await readLink(db, hash);
  const secret = freshSecret();
  if (link === null || !(await openLink(db, hash, await sha256Hex(secret)))) return refused(c);
  setLinkCookie(c, secret, SIGN_IN_TIMES.link / 1_000);
  const waiting = await openPageOf(c);
  if (waiting !== null) return c.redirect(pagePlace(c, waiting), 303);
  for (const [name, value] of Object.entries(await pageHeaders())) c.header(name, value);
  return c.body(waitingPage(link.userId));
});

/** The newest sign-in of this browser that waits for a user. */
async function openPageOf(c: HonoContext<HttpEnv>): Promise<string | null> {
  const { db } = signInContext(c);
  for (const id of startedPages(c)) {
    const mine = await pageIn(c, id);
    const page = mine === null ? null : await readPage(db, mine);
    if (page?.stage === "open") return id;
  }
  return null;
}

/** Guessed link secrets count against the same limit as guessed keys. */
function refused(c: HonoContext<HttpEnv>): Promise<Response> {
  c.set("unauthenticated", true);
  return refuseWithPage(c, OVER);
}

async function digestIn(c: HonoContext<HttpEnv>): Promise<string> {
  return sha256Hex(readLinkSecret(c.req.param("secret") ?? "") ?? "");
}
