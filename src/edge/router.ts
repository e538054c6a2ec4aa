// A router whose validators refuse with every problem at once, in the shape of docs/api/errors.md.

import { OpenAPIHono } from "@hono/zod-openapi";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import { invalid } from "../domain/errors";
import type { HttpEnv } from "./edge";
import { issuesOf } from "./errors";

export function router(): OpenAPIHono<HttpEnv> {
  return new OpenAPIHono<HttpEnv>({
    // A slash at the end changes nothing: docs/api/conventions.md.
    strict: false,
    // Hono's default first compiles all routes into one expression, which fails for paths like `/files/{path}` and costs the first
    // request as much as the trie. `SmartRouter` fills it with the first request, so routers that are only mounted stay empty.
    router: new SmartRouter({ routers: [new TrieRouter()] }),
    defaultHook: (result) => {
      if (!result.success) throw invalid(issuesOf(result.error, result.target === "json" ? undefined : result.target));
    },
  });
}
