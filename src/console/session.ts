// /console/api/session: sign-in, current user and sign-out. All routes are behind `requireConsolePage`.

import type { Context as HonoContext } from "hono";
import type { Principal, PrincipalSession } from "../domain/access/access";
import { rightsOf } from "../domain/access/rights";
import { isConsolePath } from "../domain/console/place";
import { SESSION_TIMES } from "../domain/console/session";
import { invalid } from "../domain/errors";
import type { Settings } from "../domain/settings/settings";
import { readBytes } from "../edge/body";
import { addressOfRequest, keyLookupContext, originOfRequest, signInContext } from "../edge/browser/context";
import { freshSecret, setPageCookie } from "../edge/browser/cookies";
import { sessionCookie, sessionSecretIn } from "../edge/browser/session-cookie";
import type { HttpEnv } from "../edge/edge";
import { issuesOf } from "../edge/errors";
import { router } from "../edge/router";
import { instant } from "../edge/schemas";
import * as z from "../edge/zod";
import { areGroupsOpen } from "../services/access/groups";
import { identify } from "../services/access/identity";
import { beginExternalConsoleSignIn } from "../services/console/external-sign-in";
import { signOut } from "../services/console/sessions";
import { beginSession, signInByConsoleLink, signInByKey } from "../services/console/sign-in";

const SESSION_PATH = "/console/api/session";
/** The redirect URI at the issuer, shared by all sign-ins. */
const CALLBACK = "/oauth/callback";
const MOST_BYTES = 16 * 1024;

const secret = z.string().trim().min(1).max(4_096);
const signInSchema = z.lazy(() =>
  z
    .strictObject({ key: secret.optional(), ticket: secret.optional() })
    .refine(({ key, ticket }) => (key === undefined) !== (ticket === undefined), "send either `key` or `ticket`"),
);
const outsideSchema = z.lazy(() =>
  z.strictObject({
    return_to: z.string().refine(isConsolePath, "is not a path below /console").default("/console"),
  }),
);

/** Without a session. */
export const signingIn = router();
/** In one. */
export const signedIn = router();

signingIn.post(SESSION_PATH, async (c) => {
  const context = signInContext(c);
  const { key, ticket } = await bodyOf(c, signInSchema);
  const begun =
    key === undefined
      ? await signInByConsoleLink(context, ticket ?? "")
      : await signInByKey(context, keyLookupContext(c), key);
  const made = await beginSession(context, begun, sessionSecretIn(c.env, c.req.raw));
  const shown = {
    ...{ session: made.secret, bearer: null, onBehalfOf: null, endUser: null, bookmark: null },
    ...{ requestId: context.requestId, path: SESSION_PATH, resource: null },
  };
  const { caller } = await identify(keyLookupContext(c), shown, "certain", () => undefined);
  const sessionReply = wireSession(caller.principal, context.settings);
  return c.json(sessionReply, 201, { "set-cookie": sessionCookie(c.env, c.req.url, made.secret, made.life) });
});

signingIn.post(`${SESSION_PATH}/issuer`, async (c) => {
  const { return_to: returnTo } = await bodyOf(c, outsideSchema);
  const held = freshSecret();
  const asked = { secret: held, returnTo, callback: originOfRequest(c) + CALLBACK };
  const begun = await beginExternalConsoleSignIn(signInContext(c), keyLookupContext(c), addressOfRequest(c), asked);
  setPageCookie(c, begun.id, held, SESSION_TIMES.outside / 1_000);
  return c.json({ location: begun.location }, 201);
});

signedIn.get(SESSION_PATH, (c) => {
  const { caller, settings } = c.get("context");
  return c.json(wireSession(caller.principal, settings), 200);
});

signedIn.delete(SESSION_PATH, async (c) => {
  await signOut(c.get("context"));
  const headers = { "set-cookie": sessionCookie(c.env, c.req.url, "", 0), "clear-site-data": '"cache"' };
  return c.body(null, 204, headers);
});

async function bodyOf<T>(c: HonoContext<HttpEnv>, schema: z.ZodType<T>): Promise<T> {
  const bytes = await readBytes(c.req.raw, MOST_BYTES);
  const read = schema.safeParse(jsonIn(new TextDecoder().decode(bytes ?? new Uint8Array())));
  if (!read.success) throw invalid(issuesOf(read.error));
  return read.data;
}

/** Returns the JSON in a text; `undefined` if there is none. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wireSession(principal: Principal, settings: Settings) {
  const { userId, name = null, role, groups } = principal;
  return {
    user: { id: userId, name, role, groups: groups.map(({ group }) => group) },
    rights: rightsOf(principal, false, areGroupsOpen(settings)),
    /** Whether the page offers a chat for trying skills. */
    try_it: settings.DEMO === "on",
    ...(principal.session === undefined ? {} : wireTimes(principal.session)),
  };
}

function wireTimes({ id, via, signedInAt, endsAt }: PrincipalSession) {
  return {
    id,
    signed_in_by: via,
    signed_in_at: instant(signedInAt),
    /** Dangerous actions are allowed until this time; later, the user must sign in again. */
    fresh_until: instant(signedInAt + SESSION_TIMES.fresh),
    expires_at: instant(endsAt),
    idle_seconds: SESSION_TIMES.idle / 1_000,
  };
}
