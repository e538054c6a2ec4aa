// Responses of the well-known index: the index, archives, files and search results.

import type { Context as HonoContext } from "hono";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { wellKnownIndex } from "../../domain/compat/well-known";
import { sha256Hex } from "../../domain/digest";
import { SKILL_FILE } from "../../domain/package/skill";
import { Recent } from "../../domain/recent";
import { siblingAttestation } from "../../edge/attestation-link";
import type { HttpEnv } from "../../edge/edge";
import { namesTag, tagOf } from "../../edge/etag";
import {
  findIndexedAttestation,
  findIndexedFile,
  findIndexedSkill,
  notInIndex,
  readIndex,
  searchIndex,
} from "../../services/compat/published-index";
import type { VersionArchiveTable } from "../../storage/d1/compat/archives";
import { versionArchives } from "../../storage/d1/schema/compat";
import { openArchive, openPackageRange } from "../../storage/r2/packages";
import type { ViewRequest } from "./viewer";

export const PRIVATE = "private, no-store";
export const BY_NAME = "public, max-age=60";
export const BY_DIGEST = "public, max-age=31536000, immutable";
/** Files of authors are never executed by browsers. */
const SANDBOX = "sandbox; default-src 'none'";
const DEFAULT_FOUND = 20;

/** Caches open archives by name and digest, so that D1 is not needed. After an archive is closed, it is served for one minute at most. */
const known = new WeakMap<D1Database, Recent<string, { versionId: string; until: number }>>();

function knownIn(env: Env): Recent<string, { versionId: string; until: number }> {
  const found = known.get(env.DB) ?? new Recent(COMPAT_LIMITS.knownArchives);
  known.set(env.DB, found);
  return found;
}

const keyOf = (name: string, sha256: string) => `${name} ${sha256}`;

/** Returns the index of the visible skills. */
export async function answerIndex(c: HonoContext<HttpEnv>, { viewer, skill, isOpen }: ViewRequest): Promise<Response> {
  const { skills, isCut } = await readIndex(viewer, skill);
  // The base URL of one skill exists as long as the skill.
  if (skill !== undefined && skills.length === 0) throw notInIndex();
  if (isOpen) {
    const until = Date.now() + COMPAT_LIMITS.knownForMs;
    for (const { name, sha256, versionId } of skills) knownIn(c.env).set(keyOf(name, sha256), { versionId, until });
  }
  const body = JSON.stringify(wellKnownIndex(skills, isCut, viewer.settings.SECRETS_KEY !== undefined));
  return cachedResponse(c, isOpen ? BY_NAME : PRIVATE, await sha256Hex(body), "application/json", body);
}

/** Returns the archive of a skill by its digest. */
export async function answerArchive(
  c: HonoContext<HttpEnv>,
  { viewer, isOpen }: ViewRequest,
  name: string,
  sha256: string,
): Promise<Response> {
  const remembered = isOpen ? knownIn(c.env).get(keyOf(name, sha256)) : undefined;
  const isKnown = remembered !== undefined && remembered.until > Date.now();
  const { versionId } = isKnown ? remembered : await findIndexedSkill(viewer, name, sha256);
  if (isOpen && !isKnown)
    knownIn(c.env).set(keyOf(name, sha256), { versionId, until: Date.now() + COMPAT_LIMITS.knownForMs });
  const stored = await openArchive(viewer.packages, viewer.timings, versionId);
  if (stored === null) throw notInIndex();
  const cache = isOpen ? BY_DIGEST : PRIVATE;
  const answer = cachedResponse(c, cache, sha256, "application/zip", stored.body, stored.size);
  answer.headers.set("link", siblingAttestation(sha256));
  return answer;
}

/** Returns the signed statement about the version of an archive. `table`: the kind of archive that has the digest. */
export async function answerAttestation(
  c: HonoContext<HttpEnv>,
  { viewer, isOpen }: ViewRequest,
  name: string,
  sha256: string,
  table: VersionArchiveTable = versionArchives,
): Promise<Response> {
  const body = JSON.stringify(await findIndexedAttestation(viewer, { name, sha256, table }, Date.now()));
  return cachedResponse(c, isOpen ? BY_NAME : PRIVATE, await sha256Hex(body), "application/json", body);
}

/** Returns one file of a skill, for clients of the older index. */
export async function answerFile(
  c: HonoContext<HttpEnv>,
  { viewer, isOpen }: ViewRequest,
  name: string,
  path: string,
): Promise<Response> {
  const { versionId, offset, size, sha256, ...file } = await findIndexedFile(viewer, name, path.normalize("NFC"));
  const body = await openPackageRange(viewer.packages, viewer.timings, versionId, offset, size);
  if (body === null) throw notInIndex();
  const type = file.path === SKILL_FILE ? "text/markdown; charset=utf-8" : "application/octet-stream";
  return cachedResponse(c, isOpen ? BY_NAME : PRIVATE, sha256, type, body, size);
}

/** Returns search results with the URL from which each skill can be added. */
export async function answerSearch(c: HonoContext<HttpEnv>, look: ViewRequest): Promise<Response> {
  const limit = Number(c.req.query("limit") ?? DEFAULT_FOUND);
  const most = Number.isInteger(limit) && limit > 0 ? limit : DEFAULT_FOUND;
  const found = await searchIndex(look.viewer, c.req.query("q") ?? "", most);
  const { origin } = new URL(c.req.url);
  const skills = found.map(({ id, name, scope }) => {
    return { id, name, source: `${origin}${look.placeOf(scope)}/${name}`, installs: 0 };
  });
  return c.json({ skills }, 200, { "cache-control": look.isOpen ? BY_NAME : PRIVATE });
}

/** Returns a response with cache headers, or 304 if the client has it. */
export function cachedResponse(
  c: HonoContext<HttpEnv>,
  cacheControl: string,
  sha256: string,
  type: string,
  body: string | ReadableStream,
  size?: number,
): Response {
  const etag = tagOf(sha256);
  const headers: Record<string, string> = { etag, "cache-control": cacheControl, vary: "authorization" };
  if (namesTag(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  headers["content-type"] = type;
  headers["content-security-policy"] = SANDBOX;
  if (size !== undefined) headers["content-length"] = `${size}`;
  return new Response(body, { status: 200, headers });
}
