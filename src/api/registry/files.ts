// Routes for the bytes of skills: the canonical ZIP, and single files read from it.

import { createRoute } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { GatewayError } from "../../domain/errors";
import { attestationLink } from "../../edge/attestation-link";
import type { HttpEnv } from "../../edge/edge";
import { problem } from "../../edge/errors";
import { disposition, namesTag, notModified, REVALIDATE, spanOf, tagged, tagOf } from "../../edge/etag";
import { router } from "../../edge/router";
import { json, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { findPackage, openBytes } from "../../services/registry/skills";

const params = z.object({ id: z.string() });
const versionParams = params.extend({ version_id: z.string() });
const fileSchema = () => z.object({ path: z.string(), size: z.int(), sha256: z.string() }).openapi("SkillFile");

/** The OpenAPI responses of a route that returns bytes of this type. */
function bytes(type: string) {
  const content = { [type]: { schema: z.string().openapi({ format: "binary" }) } };
  return {
    200: { description: "The file.", content },
    206: { description: "The part requested with `Range`.", content },
    304: notModified,
    ...refusals(403, 404, 416),
  };
}

/** Files are served with the type of their name if it is harmless; markup that a browser would execute is served as text. */
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    gif: "image/gif",
    jpeg: "image/jpeg",
    jpg: "image/jpeg",
    json: "application/json",
    pdf: "application/pdf",
    png: "image/png",
    svg: "image/svg+xml",
    webp: "image/webp",
    zip: "application/zip",
  }),
);
const TEXT =
  /\.(?:c|cfg|cpp|cs|css|csv|go|h|html?|ini|java|js|jsx|log|lua|md|mjs|php|pl|py|rb|rs|sh|sql|toml|ts|tsx|txt|xml|ya?ml)$/i;

/** A range of a version's package, and the headers for it. */
interface Part {
  offset: number;
  size: number;
  sha256: string;
  type: string;
  disposition: string;
  /** A header that names the signed statement about a package. */
  link?: string;
}

export const files = router();

for (const path of ["/{id}/download", "/public/{id}/download"]) {
  files.openapi(
    createRoute({
      method: "get",
      path,
      summary: "Downloads a skill as a ZIP.",
      request: { params, query: z.object({ version: z.string().optional() }) },
      responses: bytes("application/zip"),
    }),
    async (c) => {
      const { version } = c.req.valid("query");
      const { id } = c.req.valid("param");
      const found = await findPackage(c.get("context"), id, version);
      return answerBytes(c, found, {
        link: attestationLink(id, found.versionId),
        offset: 0,
        size: found.zipSize,
        sha256: found.zipSha256,
        type: "application/zip",
        disposition: disposition("attachment", `${found.name}.zip`),
      });
    },
  );
}

files.openapi(
  createRoute({
    method: "get",
    path: "/public/{id}/content",
    summary: "Returns SKILL.md of a public skill as text.",
    middleware: tagged,
    request: { params },
    responses: {
      200: json("SKILL.md.", () => z.object({ content: z.string() })),
      304: notModified,
      ...refusals(403, 404),
    },
  }),
  async (c) => {
    const found = await findPackage(c.get("context"), c.req.valid("param").id);
    const file = found.files.find(({ path }) => path.toLowerCase() === "skill.md");
    if (file === undefined)
      throw new GatewayError("not_found", "FILE_NOT_FOUND", "File not found in the skill. Check the path.");
    const body = await openBytes(c.get("context"), found.versionId, file.offset, file.size);
    return c.json({ content: await new Response(body).text() }, 200);
  },
);

const fileList = () => z.array(fileSchema());

files.openapi(
  createRoute({
    method: "get",
    path: "/{id}/files",
    summary: "Lists the files of the current version.",
    middleware: tagged,
    request: { params },
    responses: { 200: json("All files by path.", fileList), 304: notModified, ...refusals(403, 404) },
  }),
  async (c) => c.json(await filesAt(c, c.req.valid("param").id), 200),
);

files.openapi(
  createRoute({
    method: "get",
    path: "/{id}/versions/{version_id}/files",
    summary: "Lists the files of a version.",
    middleware: tagged,
    request: { params: versionParams },
    responses: { 200: json("All files by path.", fileList), 304: notModified, ...refusals(403, 404) },
  }),
  async (c) => {
    const { id, version_id } = c.req.valid("param");
    return c.json(await filesAt(c, id, version_id), 200);
  },
);

const fileRoute = createRoute({
  method: "get",
  path: "/{id}/files/{path}",
  summary: "Returns a file of the current version.",
  request: { params: params.extend({ path: z.string() }) },
  responses: bytes("*/*"),
});
const versionFileRoute = createRoute({
  method: "get",
  path: "/{id}/versions/{version_id}/files/{path}",
  summary: "Returns a file of a version.",
  request: { params: versionParams.extend({ path: z.string() }) },
  responses: bytes("*/*"),
});

// The document names the parameter; the router matches several segments.
files.openAPIRegistry.registerPath(fileRoute);
files.openapi({ ...fileRoute, path: "/{id}/files/{path{.+}}", hide: true }, (c) => {
  const { id, path } = c.req.valid("param");
  return answerFile(c, path, id);
});
files.openAPIRegistry.registerPath(versionFileRoute);
files.openapi({ ...versionFileRoute, path: "/{id}/versions/{version_id}/files/{path{.+}}", hide: true }, (c) => {
  const { id, version_id, path } = c.req.valid("param");
  return answerFile(c, path, id, version_id);
});

async function filesAt(c: HonoContext<HttpEnv>, id: string, version?: string) {
  const found = await findPackage(c.get("context"), id, version);
  return found.files.map(({ path, size, sha256 }) => ({ path, size, sha256 }));
}

async function answerFile(c: HonoContext<HttpEnv>, path: string, id: string, version?: string): Promise<Response> {
  const found = await findPackage(c.get("context"), id, version);
  const wanted = path.normalize("NFC");
  const file = found.files.find((candidate) => candidate.path === wanted);
  if (file === undefined)
    throw new GatewayError("not_found", "FILE_NOT_FOUND", "File not found in the skill. Check the path.");
  return answerBytes(c, found, {
    offset: file.offset,
    size: file.size,
    sha256: file.sha256,
    type: typeOf(file.path),
    disposition: disposition("inline", file.path.slice(file.path.lastIndexOf("/") + 1)),
  });
}

/** Returns all bytes, the requested part, or 304. */
async function answerBytes(c: HonoContext<HttpEnv>, found: { versionId: string }, part: Part): Promise<Response> {
  const tag = tagOf(part.sha256);
  const headers: Record<string, string> = {
    etag: tag,
    "cache-control": REVALIDATE,
    "accept-ranges": "bytes",
    ...(part.link === undefined ? {} : { link: part.link }),
  };
  if (namesTag(c.req.header("if-none-match"), tag)) return new Response(null, { status: 304, headers });
  const ifRange = c.req.header("if-range");
  const range = ifRange === undefined || ifRange === tag ? c.req.header("range") : undefined;
  const span = spanOf(range, part.size);
  if (span === "unsatisfiable") {
    const unsatisfied = { "content-range": `bytes */${part.size}` };
    return problem(
      c,
      416,
      "RANGE_NOT_SATISFIABLE",
      `Range not satisfiable (the file has ${part.size} bytes). Request a range inside the file.`,
      {},
      unsatisfied,
    );
  }
  const { offset, length } = span ?? { offset: 0, length: part.size };
  const wanted = c.req.method === "HEAD" ? 0 : length;
  const body = await openBytes(c.get("context"), found.versionId, part.offset + offset, wanted);
  headers["content-type"] = part.type;
  headers["content-length"] = `${length}`;
  headers["content-disposition"] = part.disposition;
  headers["content-security-policy"] = "sandbox; default-src 'none'";
  if (span !== null) headers["content-range"] = `bytes ${offset}-${offset + length - 1}/${part.size}`;
  return new Response(body, { status: span === null ? 200 : 206, headers });
}

function typeOf(path: string): string {
  const type = TYPES.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
  return type ?? (TEXT.test(path) ? "text/plain; charset=utf-8" : "application/octet-stream");
}
