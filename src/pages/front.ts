// GET /: what the gateway is and where to continue, as a page for people and as JSON for programs. It is public, so it contains nothing
// else.

import { createRoute } from "@hono/zod-openapi";
import { accepts } from "hono/accepts";
import { sha256Hex } from "../domain/digest";
import { namesTag, notModified, tagOf } from "../edge/etag";
import { hashSource } from "../edge/html";
import { router } from "../edge/router";
import { described, only } from "../edge/schemas";
import * as z from "../edge/zod";
import { hasConsole } from "./console";
import { FRONT_LINKS, FRONT_STYLE, FRONT_TEXT, FRONT_TITLE, frontPage } from "./front-page";

const HTML = "text/html";
const JSON_TYPE = "application/json";

/** One of the two answers of `/`, created at its first request. */
interface Front {
  body: string;
  headers: Record<string, string>;
}
const made = new Map<string, Promise<Front>>();

const frontSchema = () =>
  z.object({ name: z.string(), description: z.string(), links: z.record(z.string(), z.string()) }).openapi("Front");

export const frontRoute = router();

frontRoute.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Returns the front page as HTML or JSON.",
    security: [],
    responses: {
      200: {
        description: "The front page as HTML, or as JSON with relative links.",
        content: { [HTML]: described(() => z.string()), [JSON_TYPE]: described(frontSchema) },
      },
      302: {
        description: "A redirect of browsers to the console, if it is enabled. Clients that prefer JSON receive 200.",
      },
      304: notModified,
      ...only(429),
    },
  }),
  async (c) => {
    const type = accepts(c, { header: "Accept", supports: [HTML, JSON_TYPE], default: HTML });
    if (type === HTML && (await hasConsole(c.env, c.req.url)))
      return c.body(null, 302, { location: "/console", vary: "accept", "cache-control": "no-cache" });
    const answer = made.get(type) ?? (type === HTML ? pageOf() : documentOf());
    made.set(type, answer);
    const { body, headers } = await answer;
    if (namesTag(c.req.header("if-none-match"), headers.etag ?? "")) {
      const { "content-type": _, ...rest } = headers;
      return c.body(null, 304, rest);
    }
    return c.body(body, 200, headers);
  },
);

/** The headers of static pages (`public/_headers`), with the digest of the page's own style. */
async function pageOf(): Promise<Front> {
  const style = await hashSource(FRONT_STYLE);
  const front = await answerOf(`${HTML}; charset=utf-8`, frontPage());
  front.headers["content-security-policy"] =
    `default-src 'none'; style-src ${style}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  front.headers["cross-origin-opener-policy"] = "same-origin";
  front.headers["permissions-policy"] = "camera=(), geolocation=(), microphone=()";
  return front;
}

function documentOf(): Promise<Front> {
  const links = Object.fromEntries(FRONT_LINKS.map(({ name, path }) => [name, path]));
  return answerOf(JSON_TYPE, JSON.stringify({ name: FRONT_TITLE, description: FRONT_TEXT, links }));
}

/** Clients revalidate it each time, because an upgrade may change it. The entity tag makes that cheap. */
async function answerOf(type: string, body: string): Promise<Front> {
  const etag = tagOf(await sha256Hex(body));
  return { body, headers: { "content-type": type, etag, "cache-control": "no-cache", vary: "accept" } };
}
