// The table of edges: every protocol of the gateway. Each edge is loaded at its first request, so an isolate that serves one edge, or only
// a conversation's object, does not create the routes and schemas of the others.

import type { OpenAPIHono } from "@hono/zod-openapi";
import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import { answerHeaders } from "./edge/answer";
import { drainBody } from "./edge/drain-body";
import type { Edge, HttpEnv } from "./edge/edge";
import { answerError, pathNotFound } from "./edge/errors";
import { addressRate } from "./edge/rate";

/**
 * The longest prefix wins, so a client's fixed path may be below another edge. A new protocol is a folder, a row here, and a line in
 * `domain/access/key-scope.ts`.
 */
interface Row {
  prefix: Edge["prefix"];
  load(): Promise<Edge>;
}

const COMPAT_EDGES = [
  "/.well-known/agent-skills",
  "/.well-known/skills",
  "/s",
  "/t",
  "/api/search",
  "/api/skill-market",
  "/anthropic/v1/skills",
  "/openai/v1/skills",
] as const;

/** Fixed paths of ClawHub's clients. The gateway's own API does not use these paths or paths below them. */
const CLAWHUB = [
  "/.well-known/clawhub.json",
  "/api/v1/whoami",
  "/api/v1/search",
  "/api/v1/resolve",
  "/api/v1/download",
  "/api/v1/skills",
] as const;

/** Pages of open skills without sign-in, and what search engines read about them. */
const CATALOG = ["/skills", "/robots.txt", "/sitemap.xml"] as const;

/** The one edge that accepts a cookie. The paths below it are routes of the other edges. */
const CONSOLE = "/console/api";

const EDGES: readonly Row[] = [
  ...COMPAT_EDGES.map((prefix) => ({
    prefix,
    load: async () => (await import("./compat/edges")).COMPAT_EDGES[prefix],
  })),
  ...CLAWHUB.map((prefix) => ({ prefix, load: async () => (await import("./compat/clawhub/edges")).CLAWHUB[prefix] })),
  ...CATALOG.map((prefix) => ({
    prefix,
    load: async () => (await import("./pages/catalog/edges")).CATALOG_EDGES[prefix],
  })),
  { prefix: "/mcp", load: async () => (await import("./mcp/routes")).mcp },
  { prefix: "/mcp/registry/v0.1", load: async () => (await import("./compat/mcp-registry/edge")).mcpRegistry },
  { prefix: "/api/v1/conversations", load: async () => (await import("./api/conversations-edge")).conversationsEdge },
  { prefix: "/api", load: async () => (await import("./api/edge")).api },
  { prefix: CONSOLE, load: async () => (await import("./console/edge")).consoleEdge },
  { prefix: "/oauth", load: async () => (await import("./sign-in/edge")).signIn },
  { prefix: "/openai", load: async () => (await import("./chat/edges")).openaiEdge },
  { prefix: "/anthropic", load: async () => (await import("./chat/edges")).anthropicEdge },
  { prefix: "/metrics", load: async () => (await import("./metrics/edge")).metricsEdge },
];

/** Answers paths that do not exist: most requests from the open internet. */
const notFound = new Hono<HttpEnv>();
notFound.use(drainBody, answerHeaders, addressRate);
notFound.onError(answerError);
notFound.notFound(pathNotFound);

/** Paths without a key that belong to no protocol: pages, health, and the addresses where hosts look for a sign-in. */
const OPEN = ["/", "/demo", "/console", "/health", "/.well-known", "/register", "/authorize", "/token"] as const;

/** Prefixes below other prefixes come first. */
const BY_LENGTH = EDGES.toSorted((a, b) => b.prefix.length - a.prefix.length);

type App = OpenAPIHono<HttpEnv>;

let whole: App | null = null;
let open: App | null = null;
const apps = new Map<Row, App>();

/** Returns the gateway with all its edges, for tests and for the OpenAPI document. */
export async function wholeApp(): Promise<App> {
  const { createApp } = await composition();
  const edges = await Promise.all(BY_LENGTH.map(({ load }) => load()));
  whole ??= createApp(edges, (await import("./open-routes")).openRoutes);
  return whole;
}

/** Handles any request to the gateway. */
export function answer(request: Request, env: Env, execution: ExecutionContext): Response | Promise<Response> {
  // Decoded, like in the router: `/%61pi` is `/api`.
  const path = getPath(request);
  const isBelow = (prefix: string) => path === prefix || path.startsWith(`${prefix}/`);
  return isBelow(CONSOLE) ? fromConsole(request, env, execution) : route(path, request, env, execution);
}

/** Passes the page's request to its edge, or returns the console's own response. */
async function fromConsole(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  await composition();
  const { toApiRequest, toConsoleResponse } = await import("./console/api-proxy");
  const inner = toApiRequest(request, env);
  if (inner === null) return route(CONSOLE, request, env, execution);
  return toConsoleResponse(await route(getPath(inner), inner, env, execution));
}

function route(path: string, request: Request, env: Env, execution: ExecutionContext): Response | Promise<Response> {
  const isBelow = (prefix: string) => path === prefix || path.startsWith(`${prefix}/`);
  const row = BY_LENGTH.find(({ prefix }) => isBelow(prefix));
  if (row === undefined && !OPEN.some(isBelow)) return notFound.fetch(request, env, execution);
  const app = row === undefined ? open : apps.get(row);
  if (app) return app.fetch(request, env, execution);
  const reading = row === undefined ? openRest() : openEdge(row);
  return reading.then((read) => read.fetch(request, env, execution));
}

async function openEdge(row: Row): Promise<App> {
  const { createApp } = await composition();
  const edge = await row.load();
  const app = apps.get(row) ?? createApp([edge]);
  apps.set(row, app);
  return app;
}

async function openRest(): Promise<App> {
  const { createApp } = await composition();
  const { openRoutes } = await import("./open-routes");
  open ??= createApp([], openRoutes);
  return open;
}

/**
 * Loads what every edge needs. The package comes first, because it adds the method `openapi` to zod's schemas and split modules do not keep
 * their order.
 */
async function composition() {
  await import("@hono/zod-openapi");
  return import("./app");
}
