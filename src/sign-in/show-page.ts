// Shows the current step of a sign-in: the requesting program and the ways to sign in, or the account that the program would act for.

import type { Context as HonoContext } from "hono";
import { sha256Hex } from "../domain/digest";
import { type Settings, settingsFrom } from "../domain/settings/settings";
import { originOfRequest, signInContext } from "../edge/browser/context";
import { linkSecret } from "../edge/browser/cookies";
import type { HttpEnv } from "../edge/edge";
import { externalIssuerOf } from "../services/sign-in/external-issuer";
import type { SignInFailure } from "../services/sign-in/pages";
import { readOpenedLink } from "../storage/d1/sign-in/links";
import type { PageRow } from "../storage/d1/sign-in/pages";
import { pageHeaders } from "./html";
import { PAGES } from "./page-session";
import { consentPage, signInPage } from "./page-texts";

export async function showPage(
  c: HonoContext<HttpEnv>,
  page: PageRow,
  problem: SignInFailure | null = null,
): Promise<Response> {
  const settings = settingsFrom(c.env);
  const action = `${PAGES}/${page.id}`;
  const headers = await pageHeaders();
  if (page.stage === "shown") {
    const days = { most: settings.GRANT_DAYS, idle: settings.GRANT_IDLE_DAYS };
    return new Response(consentPage(page, action, days), { headers });
  }
  // Keys guessed on this page count against the same limit as keys guessed elsewhere.
  if (problem?.guess === true) c.set("unauthenticated", true);
  const ways = { action, origin: originOfRequest(c), link: await linkedUser(c), issuer: issuerHost(settings) };
  const text = signInPage(page, { ...ways, problem: problem?.problem ?? null });
  return new Response(text, { status: problem === null ? 200 : 400, headers });
}

async function linkedUser(c: HonoContext<HttpEnv>): Promise<string | null> {
  const secret = linkSecret(c);
  if (secret === null) return null;
  const link = await readOpenedLink(signInContext(c).db, await sha256Hex(secret));
  return link?.userId ?? null;
}

/** The issuer's host name, as it is shown. `null` if no issuer is configured. */
export function issuerHost(settings: Settings): string | null {
  const outside = externalIssuerOf(settings);
  return outside === null ? null : (URL.parse(outside.issuer)?.host ?? outside.issuer);
}
