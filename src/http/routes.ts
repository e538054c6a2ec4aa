// Which paths exist, with which methods and bodies, read from the same definitions that make the OpenAPI document.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpEnv } from "./env";

interface RouteFacts {
  bodyTypes: string[];
  bodyRequired: boolean;
}

export interface RouteTable {
  /** The methods of a path, or `null` when no route has it. */
  find(path: string): Map<string, RouteFacts> | null;
}

/** Reads the table once all routes are registered. */
export function routeTable(app: OpenAPIHono<HttpEnv>): RouteTable {
  const byPattern = new Map<string, { pattern: RegExp; fixed: number; methods: Map<string, RouteFacts> }>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== "route") continue;
    const { path, method, request } = definition.route;
    const entry = byPattern.get(path) ?? { pattern: patternOf(path), fixed: fixedSegments(path), methods: new Map() };
    entry.methods.set(method.toUpperCase(), {
      bodyTypes: Object.keys(request?.body?.content ?? {}),
      bodyRequired: request?.body?.required ?? false,
    });
    byPattern.set(path, entry);
  }
  // More literal segments first: `/skills/upload` is not a skill with the id `upload`.
  const entries = [...byPattern.values()].sort((a, b) => b.fixed - a.fixed);
  return {
    find(path) {
      const found = entries.filter((entry) => entry.pattern.test(path));
      if (found.length === 0) return null;
      return new Map(found.reverse().flatMap((entry) => [...entry.methods]));
    },
  };
}

/** `{name}` is one segment; `{name}` whose pattern is written `{name:.+}` spans several. */
function patternOf(path: string): RegExp {
  const source = path
    .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
    .replace(/\{path\}/g, ".+")
    .replace(/\{[^}]+\}/g, "[^/]+");
  return new RegExp(`^${source}/?$`);
}

function fixedSegments(path: string): number {
  return path.split("/").filter((segment) => segment !== "" && !segment.startsWith("{")).length;
}
