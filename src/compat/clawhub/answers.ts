// Responses for ClawHub's clients: account, skill lists, skills, versions and files.

import type { Context as HonoContext } from "hono";
import { isAdmin } from "../../domain/access/access";
import {
  handleOf,
  type Judged,
  moderationOf,
  ownerHandleOf,
  readOwner,
  versionNameOf,
} from "../../domain/compat/clawhub";
import { invalid } from "../../domain/errors";
import { attestationLink } from "../../edge/attestation-link";
import type { HttpEnv } from "../../edge/edge";
import {
  filesOfVersion,
  findFingerprint,
  findNamedVersion,
  findSlug,
  listNamedVersions,
  listSlugs,
  openVersionArchive,
  openVersionFile,
  searchSlugs,
  slugNotFound,
} from "../../services/compat/clawhub";
import type { Viewer } from "../../services/compat/published-index";
import type { PublishedSkillRow } from "../../storage/d1/compat/published-index";
import type { PublishedVersion } from "../../storage/d1/compat/published-versions";
import { type ViewRequest, viewOpenly, viewWithKey } from "../well-known/viewer";

const PRIVATE = "private, no-store";
const OPEN = "public, max-age=60";
const DEFAULT_LIMIT = 25;
const MOST = 200;
/** Files of authors are never executed by browsers. */
const SANDBOX = "sandbox; default-src 'none'";

/** Returns the view for a request: the skills of the requested owner, or all that the caller can see. */
function lookAt(c: HonoContext<HttpEnv>): ViewRequest {
  const handle = c.req.query("ownerHandle")?.trim() ?? "";
  const principal = c.get("context")?.caller.principal;
  if (handle === "") return viewWithKey(c, { kind: "all" });
  const owner = readOwner(handle, principal ?? null);
  if (owner === null) throw slugNotFound();
  return owner.kind === "public" && principal === undefined ? viewOpenly(c) : viewWithKey(c, owner);
}

function jsonAnswer(c: HonoContext<HttpEnv>, { isOpen }: ViewRequest, body: object): Response {
  return c.json(body, 200, { "cache-control": isOpen ? OPEN : PRIVATE, vary: "authorization" });
}

/** Returns the requested limit, capped. */
function limitOf(c: HonoContext<HttpEnv>): number {
  const asked = Number(c.req.query("limit") ?? DEFAULT_LIMIT);
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, MOST) : DEFAULT_LIMIT;
}

const slugIn = (c: HonoContext<HttpEnv>) => c.req.param("slug") ?? "";
const nameOf = ({ displayName, name }: PublishedSkillRow) => displayName ?? name;
const userIn = (c: HonoContext<HttpEnv>) => c.get("context")?.caller.principal.userId ?? null;

/** Returns the version that `?version=` or `?tag=` selects. The only tag is the current version. */
async function versionIn(c: HonoContext<HttpEnv>, viewer: Viewer, row: PublishedSkillRow): Promise<PublishedVersion> {
  const tag = c.req.query("tag");
  if (tag !== undefined && tag !== "latest")
    throw invalid([{ code: "UNKNOWN_TAG", message: "Tag not found. The only tag is `latest`.", path: "tag" }]);
  return findNamedVersion(viewer, row, c.req.query("version"));
}

const skillOf = (row: PublishedSkillRow) => ({
  ...{ slug: row.name, displayName: nameOf(row), summary: row.description },
  ...{ tags: { latest: versionNameOf(row) }, stats: {}, createdAt: row.createdAt, updatedAt: row.updatedAt },
});

const versionOf = (version: Pick<PublishedVersion, "label" | "number" | "createdAt">) => ({
  ...{ version: versionNameOf(version), createdAt: version.createdAt, changelog: "", license: null },
});

export function answerWhoami(c: HonoContext<HttpEnv>): Response {
  const { principal } = c.get("context").caller;
  const handle = handleOf(principal.userId);
  const role = isAdmin(principal) ? "admin" : "user";
  return c.json({ user: { handle, displayName: principal.name ?? null, image: null, role } });
}

export async function answerSlugSearch(c: HonoContext<HttpEnv>): Promise<Response> {
  const look = lookAt(c);
  const rows = await searchSlugs(look.viewer, c.req.query("q") ?? "", limitOf(c), c.req.query("mode") === "exact");
  const results = rows.map((row, at) => ({
    ...{ slug: row.name, ownerHandle: ownerHandleOf(row.scope, userIn(c)), displayName: nameOf(row) },
    // Scores preserve the order for clients that sort by them.
    ...{ summary: row.description, version: versionNameOf(row), score: 1 / (at + 1), updatedAt: row.updatedAt },
  }));
  return jsonAnswer(c, look, { results });
}

export async function answerSlugs(c: HonoContext<HttpEnv>): Promise<Response> {
  const look = lookAt(c);
  const { rows, nextCursor, isCut } = await listSlugs(look.viewer, {
    prefix: c.req.query("prefix") ?? "",
    order: c.req.query("sort") === "createdAt" ? "created" : "updated",
    limit: limitOf(c),
    cursor: c.req.query("cursor"),
  });
  const items = rows.map((row) => {
    return { ...skillOf(row), latestVersion: versionOf({ ...row, createdAt: row.updatedAt }) };
  });
  return jsonAnswer(c, look, { items, nextCursor, ...(isCut ? { cut: true } : {}) });
}

export async function answerSlug(c: HonoContext<HttpEnv>): Promise<Response> {
  const look = lookAt(c);
  const row = await findSlug(look.viewer, slugIn(c));
  const version = await findNamedVersion(look.viewer, row, undefined);
  const handle = ownerHandleOf(row.scope, userIn(c));
  const { evidence: _, ...moderation } = moderationOf(version);
  return jsonAnswer(c, look, {
    skill: skillOf(row),
    latestVersion: versionOf(version),
    owner: { handle, displayName: null, image: null },
    moderation,
  });
}

export async function answerModeration(c: HonoContext<HttpEnv>): Promise<Response> {
  const look = lookAt(c);
  const row = await findSlug(look.viewer, slugIn(c));
  return jsonAnswer(c, look, { moderation: moderationOf(await findNamedVersion(look.viewer, row, undefined)) });
}

export async function answerVersions(c: HonoContext<HttpEnv>): Promise<Response> {
  const look = lookAt(c);
  const row = await findSlug(look.viewer, slugIn(c));
  const { versions, nextCursor } = await listNamedVersions(look.viewer, row, limitOf(c), c.req.query("cursor"));
  return jsonAnswer(c, look, { items: versions.map(versionOf), nextCursor });
}

export async function answerVersion(c: HonoContext<HttpEnv>): Promise<Response> {
  const look = lookAt(c);
  const row = await findSlug(look.viewer, slugIn(c));
  const version = await findNamedVersion(look.viewer, row, c.req.param("version"));
  const files = (await filesOfVersion(look.viewer, row, version.versionId)).map(({ path, size, sha256 }) => {
    return { path, size, sha256 };
  });
  return jsonAnswer(c, look, {
    version: { ...versionOf(version), files, security: securityOf(version) },
    skill: { slug: row.name, displayName: nameOf(row) },
  });
}

function securityOf(version: Judged & { createdAt: number }) {
  const { verdict, isSuspicious } = moderationOf(version);
  return { status: verdict, hasWarnings: isSuspicious, checkedAt: version.createdAt, model: null };
}

/** Returns the URL of a skill's archive, for clients that need nothing else. */
export async function answerInstall(c: HonoContext<HttpEnv>, origin: string): Promise<Response> {
  const look = lookAt(c);
  const row = await findSlug(look.viewer, slugIn(c));
  const query = new URLSearchParams({
    ...{ slug: row.name, ownerHandle: ownerHandleOf(row.scope, userIn(c)), version: versionNameOf(row) },
  });
  const archive = { version: versionNameOf(row), downloadUrl: `${origin}/api/v1/download?${query}` };
  return jsonAnswer(c, look, { ok: true, slug: row.name, installKind: "archive", archive });
}

export async function answerResolve(c: HonoContext<HttpEnv>): Promise<Response> {
  const look = lookAt(c);
  const row = await findSlug(look.viewer, c.req.query("slug") ?? "");
  const match = await findFingerprint(look.viewer, row, c.req.query("hash") ?? "");
  const latestVersion = { version: versionNameOf(row) };
  return jsonAnswer(c, look, { match: match === null ? null : { version: match }, latestVersion });
}

export async function answerDownload(c: HonoContext<HttpEnv>): Promise<Response> {
  const look = lookAt(c);
  const row = await findSlug(look.viewer, c.req.query("slug") ?? "");
  const version = await versionIn(c, look.viewer, row);
  const { body, size } = await openVersionArchive(look.viewer, row, version);
  const answer = bytes(look, body, size, "application/zip", `${row.name}-${versionNameOf(version)}.zip`);
  answer.headers.set("link", attestationLink(row.id, version.versionId));
  return answer;
}

export async function answerSlugFile(c: HonoContext<HttpEnv>): Promise<Response> {
  const look = lookAt(c);
  const row = await findSlug(look.viewer, slugIn(c));
  const version = await versionIn(c, look.viewer, row);
  const path = (c.req.query("path") ?? "").normalize("NFC");
  const { body, size } = await openVersionFile(look.viewer, row, version, path);
  return bytes(look, body, size, "application/octet-stream");
}

function bytes({ isOpen }: ViewRequest, body: ReadableStream, size: number, type: string, name?: string): Response {
  const headers: Record<string, string> = {
    ...{ "content-type": type, "content-length": `${size}`, "content-security-policy": SANDBOX, vary: "authorization" },
    "cache-control": isOpen ? OPEN : PRIVATE,
  };
  if (name !== undefined) headers["content-disposition"] = `attachment; filename="${name}"`;
  return new Response(body, { headers });
}
