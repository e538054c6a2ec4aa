// Limits the size and nesting of request bodies.

import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { invalid } from "../domain/errors";
import { isDeeper } from "../domain/json";
import { REQUEST_LIMITS } from "../domain/limits";
import type { HttpEnv } from "./edge";

/** Rejects bodies above the limit of their kind. A body without a declared size is counted while reading. */
export const limitBody = createMiddleware<HttpEnv>(async (c, next) => {
  const { raw } = c.req;
  const upload = (c.req.header("content-type") ?? "").startsWith("multipart/");
  const most = upload ? REQUEST_LIMITS.uploadBytes : REQUEST_LIMITS.jsonBytes;
  const said = c.req.header("content-length");
  if (raw.body !== null && (said === undefined || c.req.header("transfer-encoding") !== undefined)) {
    const bytes = await readBytes(raw, most);
    if (bytes === null) throw tooLarge(most);
    c.req.raw = new Request(raw, { body: bytes });
  } else if (Number(said ?? 0) > most) throw tooLarge(most);
  await next();
});

function tooLarge(most: number): HTTPException {
  const limit = Math.floor(most / 1_048_576);
  return new HTTPException(413, { message: `Request body too large (limit ${limit} MiB). Send less data.` });
}

/** Rejects deeply nested JSON, which could exceed the stack of a recursive function. */
export const limitJsonDepth = createMiddleware<HttpEnv>(async (c, next) => {
  const json = (c.req.header("content-type") ?? "").toLowerCase().startsWith("application/json");
  if (json && isDeeper(await c.req.text(), REQUEST_LIMITS.jsonDepth)) {
    const message = `JSON nested too deeply (limit ${REQUEST_LIMITS.jsonDepth} levels). Send flatter JSON.`;
    throw invalid([{ code: "TOO_DEEP", message }]);
  }
  await next();
});

export const TOO_LARGE = `Message too large (limit ${Math.floor(REQUEST_LIMITS.jsonBytes / 1_048_576)} MiB). Send less data.`;
export const TOO_DEEP = `JSON nested too deeply (limit ${REQUEST_LIMITS.jsonDepth} levels). Send flatter JSON.`;

/** Returns the body as text, or `null` if it is too large. */
export async function readBody(request: Request): Promise<string | null> {
  const { headers } = request;
  const size = headers.get("content-length");
  if (Number(size ?? 0) > REQUEST_LIMITS.jsonBytes) return null;
  // No body is longer than its declared length, so nothing has to be counted while it is read.
  if (/^\d+$/.test(size ?? "") && headers.get("transfer-encoding") === null) return request.text();
  const bytes = await readBytes(request, REQUEST_LIMITS.jsonBytes);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** Returns the bytes of a body; `null` if it is larger than `most`. The rest is then unread. */
export async function readBytes({ body }: Request, most: number): Promise<Uint8Array<ArrayBuffer> | null> {
  let bytes = new Uint8Array(0);
  let size = 0;
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    const at = size;
    size += chunk.byteLength;
    if (size > most) return null;
    if (size > bytes.length) {
      const grown = new Uint8Array(Math.min(most, Math.max(size, bytes.length * 2)));
      grown.set(bytes.subarray(0, at));
      bytes = grown;
    }
    bytes.set(chunk, at);
  }
  return bytes.subarray(0, size);
}
