// The edge of the console's page. Only this edge accepts a cookie, and only for requests that no other page can send. It passes requests to
// the API's routes and the chat endpoint, with a session instead of a key (`api-proxy.ts`).

import { createMiddleware } from "hono/factory";
import { GatewayError, refusalIn } from "../domain/errors";
import { settingsFrom } from "../domain/settings/settings";
import { showSession } from "../edge/auth";
import { sessionSecretIn } from "../edge/browser/session-cookie";
import type { Edge, HttpEnv } from "../edge/edge";
import { answerError, pathNotFound } from "../edge/errors";
import { router } from "../edge/router";
import { externalIssuerOf } from "../services/sign-in/external-issuer";
import { requireConsolePage } from "./csrf";
import { signedIn, signingIn } from "./session";

/** Replaces CORS: pages of other origins receive nothing, including preflights. */
const ownPage = createMiddleware<HttpEnv>(async (c, next) => {
  requireConsolePage(c.req.raw, c.env);
  showSession(c.req.raw, sessionSecretIn(c.env, c.req.raw) ?? "");
  await next();
  c.res.headers.set("cache-control", "no-store");
});

const routes = router();
routes.route("/", signedIn);
routes.all("/console/api/*", pathNotFound);

export const consoleEdge: Edge = {
  prefix: "/console/api",
  cors: [ownPage],
  open: signingIn,
  routes,
  errors(error, c) {
    const refusal = refusalIn(error);
    if (refusal?.code !== "unauthenticated") return answerError(error, c);
    // The page asks for the session before it offers a sign-in, so the response names the issuer.
    const issuer = externalIssuerOf(settingsFrom(c.env))?.issuer ?? null;
    const host = issuer === null ? null : (URL.parse(issuer)?.host ?? issuer);
    const answer = answerError(new GatewayError(refusal.code, refusal.reason, refusal.message, { issuer: host }), c);
    // Guessed keys are counted as elsewhere.
    c.set("unauthenticated", c.req.method === "POST");
    // The cookie of an ended session stays. Another tab may have replaced it meanwhile, and this response would delete the new one.
    return answer;
  },
};
