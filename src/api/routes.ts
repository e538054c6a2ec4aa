// The table of paths, methods and body kinds, read from the route definitions.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpEnv } from "../edge/edge";

interface RouteFacts {
  bodyTypes: string[];
  bodyRequired: boolean;
}

export interface RouteTable {
  /** Returns the methods of a path, or `null` if no route has it. */
  find(path: string): Map<string, RouteFacts> | null;
}

/** One segment of a pattern: a text, any segment, or all remaining segments. */
type Segment = string | typeof ONE | typeof REST;
const ONE = Symbol("{name}");
const REST = Symbol("{path}");

interface Entry {
  segments: readonly Segment[];
  methods: Map<string, RouteFacts>;
}

/** Creates the table after all routes are registered. Every request uses it, so patterns are compared by segments. */
export function routeTable(apps: readonly OpenAPIHono<HttpEnv>[]): RouteTable {
  const byPattern = new Map<string, Entry>();
  for (const definition of apps.flatMap((app) => app.openAPIRegistry.definitions)) {
    if (definition.type !== "route") continue;
    const { path, method, request } = definition.route;
    const entry = byPattern.get(path) ?? { segments: split(path).map(segmentOf), methods: new Map() };
    entry.methods.set(method.toUpperCase(), {
      bodyTypes: Object.keys(request?.body?.content ?? {}),
      bodyRequired: request?.body?.required ?? false,
    });
    byPattern.set(path, entry);
  }
  // Literal segments take precedence: `/skills/upload` is not a skill with the id `upload`.
  const entries = [...byPattern.values()].sort((a, b) => literals(a) - literals(b));
  return {
    find(path) {
      const given = split(path);
      const found = entries.filter((entry) => fits(entry.segments, given));
      if (found.length <= 1) return found[0]?.methods ?? null;
      return new Map(found.flatMap((entry) => [...entry.methods]));
    },
  };
}

/** A trailing slash is ignored. */
function split(path: string): string[] {
  return (path.endsWith("/") ? path.slice(1, -1) : path.slice(1)).split("/");
}

function segmentOf(text: string): Segment {
  if (text === "{path}") return REST;
  return text.startsWith("{") ? ONE : text;
}

function fits(segments: readonly Segment[], given: readonly string[]): boolean {
  const rest = segments.at(-1) === REST;
  if (rest ? given.length < segments.length : given.length !== segments.length) return false;
  // Compares from the end, where patterns differ most.
  for (let n = segments.length - 1; n >= 0; n--) {
    const segment = segments[n];
    if (typeof segment === "string" ? segment !== given[n] : given[n] === "") return false;
  }
  return true;
}

function literals({ segments }: Entry): number {
  return segments.filter((segment) => typeof segment === "string").length;
}
