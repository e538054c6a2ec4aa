// What a JSON body may be before it is looked into.

import { createMiddleware } from "hono/factory";
import { invalid } from "../domain/errors";
import { isDeeper } from "../domain/json";
import { REQUEST_LIMITS } from "../domain/limits";
import type { HttpEnv } from "./env";

/** Refuses JSON that nests too deeply: somewhere on its way it would exhaust a stack. */
export const shallow = createMiddleware<HttpEnv>(async (c, next) => {
  const json = (c.req.header("content-type") ?? "").toLowerCase().startsWith("application/json");
  if (json && isDeeper(await c.req.text(), REQUEST_LIMITS.jsonDepth)) {
    const message = `Lists and objects may lie ${REQUEST_LIMITS.jsonDepth} deep in each other, no more.`;
    throw invalid([{ code: "TOO_DEEP", message }]);
  }
  await next();
});
