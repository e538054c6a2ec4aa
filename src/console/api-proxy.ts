// The way from the console's edge to the routes of the API and of the chat endpoint: the same request, as one of its session, without the
// cookie and without what a browser says of itself. The routes know nothing of it, and nothing is written twice.

import { refusalIn } from "../domain/errors";
import { showSession } from "../edge/auth";
import { sessionSecretIn } from "../edge/browser/session-cookie";
import { CONSOLE_HEADER, requireConsolePage } from "./csrf";

/** What is reached, and where it lies. The vendors' APIs of skills do the same as `/api/v1`, for other clients. */
const BEHIND = /^\/console(\/api)(\/v1\/.+)$|^\/console\/api(\/openai)(\/v1\/(?!skills(?:\/|$)).+)$/;

/** What a page's browser adds: none of it is for the routes. */
const OF_BROWSERS = ["cookie", "origin", "referer", CONSOLE_HEADER];

/** The request as the routes get it; `null` where the console's edge answers itself, also with a refusal. */
export function toApiRequest(request: Request, env: Env): Request | null {
  const url = new URL(request.url);
  const [, api, apiPath, chat, chatPath] = BEHIND.exec(url.pathname) ?? [];
  if (api === undefined && chat === undefined) return null;
  try {
    requireConsolePage(request, env);
  } catch (error) {
    if (refusalIn(error) === null) throw error;
    return null;
  }
  url.pathname = `${api ?? chat}${apiPath ?? chatPath}`;
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()])
    if (OF_BROWSERS.includes(name) || name.startsWith("sec-fetch-")) headers.delete(name);
  const inner = new Request(new Request(url, request), { headers });
  showSession(inner, sessionSecretIn(env, request) ?? "");
  return inner;
}

/** Data that a page reads; a stream of events, too. Anything else is a file, which no browser should show at this origin. */
const DATA = /^(?:application\/(?:[a-z.+-]+\+)?json|text\/event-stream)\b/;

/** The answer as the console gets it: for this browser alone, kept nowhere, and never shown as a page. */
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
