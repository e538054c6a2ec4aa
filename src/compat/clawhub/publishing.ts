// Implements publishing for ClawHub's clients: a ticket for each file, its bytes, and then the publication.

import type { Context as HonoContext } from "hono";
import { HTTPException } from "hono/http-exception";
import * as z from "zod";
import { isVersionName, readOwner } from "../../domain/compat/clawhub";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { isStrictName } from "../../domain/compat/well-known";
import { GatewayError, invalid } from "../../domain/errors";
import { isDeeper } from "../../domain/json";
import { REQUEST_LIMITS } from "../../domain/limits";
import { readBody, readBytes } from "../../edge/body";
import type { HttpEnv } from "../../edge/edge";
import { issuesOf } from "../../edge/errors";
import { publishSlug } from "../../services/compat/clawhub-publish";
import { findUpload, reserveUpload, storeUpload } from "../../services/compat/upload-parts";
import { describeLater } from "../../services/tools/describe-later";

const UPLOADS = "/api/v1/skills/-/uploads";

const size = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "64 lower-case hex digits");
const path = z.string().min(1).max(1_000);

const ticketSchema = z.lazy(() => z.object({ path, size, sha256 }));

const releaseSchema = z.lazy(() =>
  z.object({
    slug: z.string().refine(isStrictName, "a-z, 0-9 and single hyphens, at most 64"),
    ownerHandle: z.string().min(1).max(200).optional(),
    version: z.string().refine(isVersionName, "a version such as 1.0.0"),
    tags: z.array(z.string()).optional(),
    migrateOwner: z.boolean().optional(),
    files: z
      .array(z.object({ path, size, sha256, storageId: z.string().max(100), uploadTicket: z.string().max(100) }))
      .min(1)
      .max(COMPAT_LIMITS.partsOfSkill),
  }),
);

/** Parses a JSON body. Fields for other registries are ignored. */
async function bodyOf<T>(c: HonoContext<HttpEnv>, schema: z.ZodType<T>): Promise<T> {
  const text = await readBody(c.req.raw);
  if (text === null) throw new HTTPException(413);
  if (isDeeper(text, REQUEST_LIMITS.jsonDepth)) throw new HTTPException(400);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HTTPException(400);
  }
  const read = schema.safeParse(value);
  if (!read.success) throw invalid(issuesOf(read.error));
  return read.data;
}

/** Creates a ticket for one file and the URL for its bytes. */
export async function answerTicket(c: HonoContext<HttpEnv>, origin: string): Promise<Response> {
  const file = await bodyOf(c, ticketSchema);
  const id = await reserveUpload(c.get("context"), file.size, file.sha256);
  return c.json({ uploadUrl: `${origin}${UPLOADS}/${id}`, uploadTicket: id });
}

/** Receives the bytes of a file. Reads at most the size on the ticket. */
export async function answerUpload(c: HonoContext<HttpEnv>, id: string): Promise<Response> {
  const context = c.get("context");
  const part = await findUpload(context, id);
  const bytes = await readBytes(c.req.raw, part.size);
  if (bytes === null) throw new HTTPException(413);
  await storeUpload(context, part, bytes);
  return c.json({ storageId: id });
}

export async function answerPublish(c: HonoContext<HttpEnv>): Promise<Response> {
  const context = c.get("context");
  const { slug, ownerHandle, version, files, tags, migrateOwner } = await bodyOf(c, releaseSchema);
  // Other tags are rejected instead of ignored: a release for testers would become everybody's.
  if (tags !== undefined && !tags.every((tag) => tag === "latest"))
    throw invalid([
      { code: "UNKNOWN_TAG", message: "Tags are not supported. Only `latest` is allowed.", path: "tags" },
    ]);
  if (migrateOwner === true)
    throw invalid([
      {
        code: "NO_MIGRATION",
        message: "Skills cannot be moved to another owner. Remove `migrateOwner` from the request.",
        path: "migrateOwner",
      },
    ]);
  const owner =
    ownerHandle === undefined ? ({ kind: "own" } as const) : readOwner(ownerHandle, context.caller.principal);
  if (owner === null)
    throw new GatewayError(
      "not_found",
      "OWNER_NOT_FOUND",
      `Owner '${ownerHandle}' not found. Use your own id, \`public\`, or \`group.<name>\`.`,
    );
  const parts = files.map(({ path, size, sha256, storageId }) => ({ path, size, sha256, id: storageId }));
  const skill = await publishSlug(context, { slug, owner, version, files: parts });
  describeLater(context, skill);
  const ids = { skillId: skill.id, versionId: skill.versionId };
  return c.json({ ok: true, ...ids, slug, version, status: "published", publicationStatus: "published" });
}
