// Conditional requests: entity tags, what a client has already, and which part of it the client wants.

import { createMiddleware } from "hono/factory";
import { sha256Hex } from "../domain/digest";
import type { HttpEnv } from "./env";

/** Answers must be asked for again, since rights may be gone by then; the tag makes that cheap. */
export const REVALIDATE = "private, no-cache";

/** The response of a route that knows what the client has. */
export const notModified = { description: "The client has it." } as const;

/** The tag of content whose SHA-256 is known. */
export function tagOf(sha256: string): string {
  return `"sha256-${sha256}"`;
}

/** The tag that `tagged` gives an answer with this value as JSON. */
export async function tagOfJson(value: unknown): Promise<string> {
  return tagOf(await sha256Hex(new TextEncoder().encode(JSON.stringify(value))));
}

/**
 * Whether an If-None-Match or If-Match header names this tag. Compares weakly, as RFC 9110 asks for it of the first; of the second, too,
 * since a proxy that compresses an answer weakens its tag, and the digest in it is still of the same bytes. `"sha256:…"` is how
 * executors of the predecessor system write the digest that they know from a resource.
 */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some(
    (given) => given.replace(/^W\//, "").replace(/^"sha256:/, '"sha256-') === tag,
  );
}

/** Gives a 200 answer the digest of its body as tag, and turns it into a 304 for a client that has it. For single things. */
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

/** A part of some bytes. */
export interface Span {
  offset: number;
  length: number;
}

/**
 * The part that a Range header asks for: `null` for all of it, since a header that cannot be read, or that asks for several
 * parts, may be ignored; `"unsatisfiable"` when there is no such part.
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

/** A Content-Disposition header for any file name: plain for old clients, RFC 8187 for the rest. */
export function disposition(kind: "attachment" | "inline", fileName: string): string {
  const plain = fileName.replace(/[^A-Za-z0-9._-]/g, "_");
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
