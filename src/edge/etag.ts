// Conditional requests: entity tags and ranges.

import { createMiddleware } from "hono/factory";
import { sha256Hex } from "../domain/digest";
import type { HttpEnv } from "./edge";

/** Clients must revalidate, because rights can change; the tag makes that cheap. */
export const REVALIDATE = "private, no-cache";

/** The OpenAPI text of a 304 response. */
export const notModified = { description: "Not changed since the `ETag` of the request." } as const;

/** Returns the tag of content with this SHA-256. */
export function tagOf(sha256: string): string {
  return `"sha256-${sha256}"`;
}

/** Returns the tag that `tagged` computes for this value as JSON. */
export async function tagOfJson(value: unknown): Promise<string> {
  return tagOf(await sha256Hex(new TextEncoder().encode(JSON.stringify(value))));
}

/**
 * Whether an If-None-Match or If-Match header contains this tag. Uses weak comparison: RFC 9110 requires it for the first; for the second,
 * because a compressing proxy weakens tags. `"sha256:…"` is how Wegent's executors write a digest.
 */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some(
    (given) => given.replace(/^W\//, "").replace(/^"sha256:/, '"sha256-') === tag,
  );
}

/** Adds a digest of the body as tag to a 200 response, and returns 304 to clients that have it. */
export const tagged = createMiddleware<HttpEnv>(async (c, next) => {
  await next();
  if (c.res.status !== 200) return;
  const tag = tagOf(await sha256Hex(new Uint8Array(await c.res.clone().arrayBuffer())));
  c.header("etag", tag);
  c.header("cache-control", REVALIDATE);
  if (!namesTag(c.req.header("if-none-match"), tag)) return;
  await c.res.body?.cancel();
  const headers = new Headers(c.res.headers);
  headers.delete("content-type");
  headers.delete("content-length");
  c.res = undefined;
  c.res = new Response(null, { status: 304, headers });
});

/** A range of bytes. */
export interface Span {
  offset: number;
  length: number;
}

/**
 * Returns the range that a Range header requests: `null` for all bytes, because invalid headers and multiple ranges can be ignored;
 * `"unsatisfiable"` if the range does not exist.
 */
export function spanOf(header: string | undefined, size: number): Span | "unsatisfiable" | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec((header ?? "").trim());
  const [, first = "", last = ""] = match ?? [];
  if (match === null || (first === "" && last === "")) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(first);
  if (last !== "" && Number(last) < offset) return null;
  if (offset >= size) return "unsatisfiable";
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return { offset, length: end - offset + 1 };
}

/** Returns a Content-Disposition header for any file name: plain for old clients, RFC 8187 for others. */
export function disposition(kind: "attachment" | "inline", fileName: string): string {
  const plain = fileName.replace(/[^A-Za-z0-9._-]/g, "_");
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
