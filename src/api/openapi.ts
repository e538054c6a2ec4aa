// GET /openapi.json: the OpenAPI 3.1 document, made from the schemas that validate the requests.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Handler } from "hono";
import { sha256Hex } from "../domain/digest";
import type { HttpEnv } from "../edge/env";
import { namesTag, tagOf } from "../edge/etag";

/** Only a deployment changes it. A client that has kept it for too long asks again with its tag. */
const KEEP = "public, max-age=300";
/** Stands where the answer names its own origin. No schema says this, and JSON writes it as it is. */
const ORIGIN = "https://origin.invalid";

/** The texts of the document, which no other request needs. */
let reference: typeof import("./reference/document") | null = null;

/** The document as bytes, before and after the origin. */
interface Parts {
  before: Uint8Array;
  after: Uint8Array;
}

/**
 * Answers with the document of all routes that the app has by the first request. Anybody may ask and making it takes a tenth of
 * a second of CPU, so it is made once an isolate; a request then copies its bytes.
 */
export function openApi(documented: () => Promise<OpenAPIHono<HttpEnv>>): Handler<HttpEnv> {
  let parts: Parts | undefined;
  let tag: string | undefined;
  return async (c) => {
    if (parts === undefined) {
      reference ??= await import("./reference/document");
      const app = await documented();
      parts ??= split(JSON.stringify(reference.documentOf(app, ORIGIN)));
    }
    // Hashing waits, so two first requests may both do it; making, which is what costs, they cannot.
    tag ??= tagOf(await sha256Hex(joined(parts, ORIGIN)));
    const headers = { etag: tag, "cache-control": KEEP };
    if (namesTag(c.req.header("if-none-match"), tag)) return c.body(null, 304, headers);
    const body = joined(parts, new URL(c.req.url).origin);
    return c.body(body, 200, { ...headers, "content-type": "application/json" });
  };
}

const encoder = new TextEncoder();

function split(text: string): Parts {
  const at = text.indexOf(ORIGIN);
  return { before: encoder.encode(text.slice(0, at)), after: encoder.encode(text.slice(at + ORIGIN.length)) };
}

/** An origin as the URL parser writes it holds nothing that JSON would escape. */
function joined({ before, after }: Parts, origin: string): Uint8Array<ArrayBuffer> {
  const middle = encoder.encode(origin);
  const bytes = new Uint8Array(before.length + middle.length + after.length);
  bytes.set(before);
  bytes.set(middle, before.length);
  bytes.set(after, before.length + middle.length);
  return bytes;
}
