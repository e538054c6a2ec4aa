// Forwards requests from the console's edge to the routes of the API and the chat endpoint: the same request, authenticated by its session,
// without the cookie and browser headers. The routes are not aware of it.

import { getPath } from "hono/utils/url";
import { refusalIn } from "../domain/errors";
import { showSession } from "../edge/auth";
import { sessionSecretIn } from "../edge/browser/session-cookie";
import { CONSOLE_HEADER, requireConsolePage } from "./csrf";

/** The forwarded paths. The vendors' Skills APIs offer nothing beyond `/api/v1` and are not forwarded. */
const API = /^\/console\/api\/v1\/.+$/;
const CHAT = /^\/console\/api\/openai\/v1\/(?!skills(?:\/|$)).+$/;

/** Headers of browsers, which are removed. */
const OF_BROWSERS = ["cookie", "origin", "referer", CONSOLE_HEADER];

/** Returns the request for the routes; `null` if the console's edge handles it itself, also with an error. */
export function toApiRequest(request: Request, env: Env): Request | null {
  // As the router reads it: an encoded letter must not open what the same path spelt out does not.
  const path = getPath(request);
  const isApi = API.test(path);
  if (!isApi && !CHAT.test(path)) return null;
  try {
    requireConsolePage(request, env);
  } catch (error) {
    if (refusalIn(error) === null) throw error;
    return null;
  }
  const url = new URL(request.url);
  // The first segment is `console`; the second, `api`, is also the API's own first. Decoding never adds a segment.
  url.pathname = url.pathname
    .split("/")
    .toSpliced(1, isApi ? 1 : 2)
    .join("/");
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()])
    if (OF_BROWSERS.includes(name) || name.startsWith("sec-fetch-")) headers.delete(name);
  const inner = new Request(new Request(url, request), { headers });
  showSession(inner, sessionSecretIn(env, request) ?? "");
  return inner;
}

/** JSON or an event stream, which a page reads. Anything else is a file, which no browser should display at this origin. */
const DATA = /^(?:application\/(?:[a-z.+-]+\+)?json|text\/event-stream)\b/;

/** Returns the response for the console: private, not cached, and never displayed as a page. */
export function toConsoleResponse(answer: Response): Response {
  const headers = new Headers(answer.headers);
  headers.set("cache-control", "no-store");
  for (const name of [...headers.keys()]) if (name.startsWith("access-control-")) headers.delete(name);
  const type = headers.get("content-type");
  if (type !== null && !DATA.test(type)) {
    const named = headers.get("content-disposition")?.replace(/^inline/, "attachment");
    headers.set("content-disposition", named ?? "attachment");
  }
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}
