// The table of edges: every protocol that the gateway speaks, each read with its first request. An isolate that serves one of them, or
// a conversation's object alone, does not make the routes and schemas of the others; the runtime has them compiled, and no more.

import type { OpenAPIHono } from "@hono/zod-openapi";
import { getPath } from "hono/utils/url";
import { createApp } from "./app";
import type { Edge } from "./edge/edge";
import type { HttpEnv } from "./edge/env";

/** The longest prefix wins, so a fixed path of a client may lie below another edge. A new protocol is a folder and a row here, and a line in `domain/access/key-scope.ts`. */
interface Row {
  prefix: Edge["prefix"];
  load(): Promise<Edge>;
}

const DOORS = ["/.well-known/agent-skills", "/.well-known/skills", "/s", "/t", "/api/search"] as const;

const EDGES: readonly Row[] = [
  ...DOORS.map((prefix) => ({ prefix, load: async () => (await import("./compat/edges")).DOORS[prefix] })),
  { prefix: "/mcp", load: async () => (await import("./mcp/routes")).mcp },
  { prefix: "/api", load: async () => (await import("./api/edge")).api },
  { prefix: "/oauth", load: async () => (await import("./sign-in/edge")).signIn },
  { prefix: "/openai", load: async () => (await import("./chat/edges")).openaiEdge },
  { prefix: "/anthropic", load: async () => (await import("./chat/edges")).anthropicEdge },
];

/** Those that lie below others come first. */
const BY_LENGTH = EDGES.toSorted((a, b) => b.prefix.length - a.prefix.length);

type App = OpenAPIHono<HttpEnv>;

let whole: App | null = null;
/** What is below no edge's prefix: pages, health, and the document of all routes. */
let rest: App | null = null;
const apps = new Map<Row, App>();

/** The gateway with all its edges. */
export async function wholeApp(): Promise<App> {
  const edges = await Promise.all(BY_LENGTH.map(({ load }) => load()));
  whole ??= createApp(edges);
  return whole;
}

/** Answers any request of the gateway. */
export function answer(request: Request, env: Env, execution: ExecutionContext): Response | Promise<Response> {
  // As the router reads it: `/%61pi` is `/api`.
  const path = getPath(request);
  const row = BY_LENGTH.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  if (row === undefined) {
    rest ??= createApp([], wholeApp);
    return rest.fetch(request, env, execution);
  }
  const app = apps.get(row);
  return app === undefined
    ? opened(row).then((made) => made.fetch(request, env, execution))
    : app.fetch(request, env, execution);
}

async function opened(row: Row): Promise<App> {
  const edge = await row.load();
  const app = apps.get(row) ?? createApp([edge]);
  apps.set(row, app);
  return app;
}
