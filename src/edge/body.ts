// What a body may be before it is looked into: how large, and how deep.

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

export const TOO_LARGE = `A message may have ${Math.floor(REQUEST_LIMITS.jsonBytes / 1_048_576)} MiB.`;
export const TOO_DEEP = `A message may nest ${REQUEST_LIMITS.jsonDepth} deep.`;

/** The body as text, or `null` when it is too large. */
export async function readBody(request: Request): Promise<string | null> {
  if (Number(request.headers.get("content-length") ?? 0) > REQUEST_LIMITS.jsonBytes) return null;
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > REQUEST_LIMITS.jsonBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
