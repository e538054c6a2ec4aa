// A router whose validators refuse with every problem at once, in the shape of docs/api/errors.md.

import { OpenAPIHono } from "@hono/zod-openapi";
import { invalid } from "../domain/errors";
import type { HttpEnv } from "./env";
import { issuesOf } from "./errors";

export function router(): OpenAPIHono<HttpEnv> {
  return new OpenAPIHono<HttpEnv>({
    // A slash at the end changes nothing: docs/api/conventions.md.
    strict: false,
    defaultHook: (result) => {
      if (!result.success) throw invalid(issuesOf(result.error, result.target === "json" ? undefined : result.target));
    },
  });
}
