// Decides which origins can call the gateway from a browser: none until configured. Development builds add loopback.

import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import { isLocalHttp } from "../domain/loopback";
import { settingsFrom } from "../domain/settings/settings";
import type { HttpEnv } from "./edge";

/** Whether a page of this origin can use the gateway. */
export function isAllowedOrigin(env: Env, origin: string): boolean {
  return settingsFrom(env).ALLOWED_ORIGINS.includes(origin) || (__DEVELOPMENT__ && isLocalPage(origin));
}

/** Whether an origin is of a page on this machine. */
function isLocalPage(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.origin === origin && isLocalHttp(url);
}

/** Schemes of web pages. Other origins belong to programs that the user installed. */
const OF_WEB_PAGES = ["http:", "https:", "file:", "data:", "blob:", "about:", "filesystem:"];

/** Whether an origin belongs to a desktop program, such as `vscode-file://vscode-app`. Web pages cannot have such an origin. */
function isProgram(origin: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*:)\/\/[^/]*$/i.exec(origin)?.[1];
  return scheme !== undefined && !OF_WEB_PAGES.includes(scheme.toLowerCase());
}

/**
 * Whether an origin can use MCP: allowed ones, the gateway's own pages over https, and desktop programs. `null` can be any web page in a
 * frame.
 */
export function isOwnOrigin(env: Env, url: string, origin: string): boolean {
  if (isProgram(origin)) return true;
  return isAllowedOrigin(env, origin) || (origin.startsWith("https://") && origin === new URL(url).origin);
}

/** Like `marked`, for requests from a page. */
export const crossOrigin = createMiddleware<HttpEnv>((c, next) =>
  c.req.header("origin") === undefined ? next() : marked(c, next),
);

/** Answers preflight requests and adds CORS headers for allowed origins. Keys are sent in a header, so no credentials are needed. */
const marked = cors({
  origin: (origin, c) => (isAllowedOrigin(c.env, origin) ? origin : null),
  allowMethods: ["GET", "POST", "PUT", "DELETE"],
  allowHeaders: [
    "authorization",
    "content-type",
    "on-behalf-of",
    "idempotency-key",
    "x-request-id",
    "x-d1-bookmark",
    "if-none-match",
    "if-match",
    "traceparent",
    "tracestate",
    "last-event-id",
  ],
  exposeHeaders: [
    ...["etag", "x-request-id", "x-d1-bookmark", "server-timing", "content-disposition", "x-log-id"],
    ...["retry-after", "ratelimit", "ratelimit-policy", "www-authenticate"],
  ],
  maxAge: 600,
}) satisfies import("hono").MiddlewareHandler<HttpEnv>;

/** CORS of the chat endpoint, whose clients send further headers. */
export const crossOriginChat = createMiddleware<HttpEnv>((c, next) =>
  c.req.header("origin") === undefined ? next() : markedChat(c, next),
);

const markedChat = cors({
  origin: (origin, c) => (isAllowedOrigin(c.env, origin) ? origin : null),
  allowMethods: ["GET", "POST", "DELETE"],
  exposeHeaders: ["x-request-id", "request-id", "retry-after", "x-conversation-id", "x-skills"],
  maxAge: 600,
}) satisfies import("hono").MiddlewareHandler<HttpEnv>;

/** CORS of MCP, whose tools can name headers. Mounted behind an origin check. */
export const crossOriginMcp = createMiddleware<HttpEnv>((c, next) =>
  c.req.header("origin") === undefined ? next() : markedMcp(c, next),
);

const markedMcp = cors({
  origin: (origin) => origin,
  allowMethods: ["GET", "POST", "DELETE"],
  exposeHeaders: ["mcp-session-id", "mcp-protocol-version", "x-request-id", "retry-after", "www-authenticate"],
  maxAge: 600,
}) satisfies import("hono").MiddlewareHandler<HttpEnv>;

/** CORS of public discovery documents. */
export const crossOriginOpen = cors({
  origin: "*",
  allowMethods: ["GET", "POST"],
  maxAge: 600,
}) satisfies import("hono").MiddlewareHandler<HttpEnv>;

/** CORS of the registry of MCP servers. Editors read it from pages of their own, so the methods and headers are those they document. */
export const crossOriginRegistry = cors({
  origin: "*",
  allowMethods: ["GET", "OPTIONS"],
  allowHeaders: ["Authorization", "Content-Type"],
  maxAge: 600,
}) satisfies import("hono").MiddlewareHandler<HttpEnv>;
