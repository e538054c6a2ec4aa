// Anthropic's Skills API: the general version, and the beta version if the request asks for it.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import * as z from "zod";
import { PUBLIC_SCOPE } from "../../domain/access/access";
import { anthropicRefusal } from "../../domain/compat/vendor-errors";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError, invalid } from "../../domain/errors";
import { limitBody } from "../../edge/body";
import type { HttpEnv } from "../../edge/edge";
import { createVendorSkill, createVendorVersion, findChangeable, findShown } from "../../services/compat/vendor-skills";
import { deleteSkill } from "../../services/registry/deletion";
import { yank } from "../../services/registry/skills";
import { listVendorSkillsByName, listVendorVersions } from "../../storage/d1/compat/vendor-skills";
import {
  answerContent,
  answerRefusal,
  limitOf,
  notServed,
  readUpload,
  skillIn,
  vendorScopeOf,
  versionIn,
  versionOf,
  wordOf,
} from "../vendor-api";
import { anthropicSkill, anthropicVersion, deletedVersionId, type VendorApiShape } from "./resources";

const BETA = "skills-2025-10-02";
const TITLES = ["display_name", "display_title"];
const TITLE_CHARS = 255;

const byName = z.object({ name: z.string() });
const byNumber = z.object({ number: z.int() });

/** Adds the routes below a path that ends with `/anthropic/v1/skills`. */
export function addAnthropicSkills(routes: OpenAPIHono<HttpEnv>, base: string): void {
  routes.post(`${base}/*`, limitBody);
  routes.post(base, async (c) => {
    const { upload, texts } = await readUpload(c, TITLES);
    const made = await createVendorSkill(vendorScopeOf(c), upload, titleIn(texts));
    return jsonAnswer(c, anthropicSkill(made, shapeOf(c)));
  });
  routes.get(base, listSkills);
  routes.get(`${base}/:id`, async (c) =>
    jsonAnswer(c, anthropicSkill(await findShown(vendorScopeOf(c), skillIn(c)), shapeOf(c))),
  );
  routes.delete(`${base}/:id`, removeSkill);
  routes.post(`${base}/:id/versions`, async (c) => {
    const { upload } = await readUpload(c, []);
    const made = await createVendorVersion(vendorScopeOf(c), skillIn(c), upload);
    return jsonAnswer(c, anthropicVersion(made, shapeOf(c)));
  });
  routes.get(`${base}/:id/versions`, listVersions);
  routes.get(`${base}/:id/versions/:version`, async (c) =>
    jsonAnswer(c, anthropicVersion(await versionIn(c, "time"), shapeOf(c))),
  );
  routes.delete(`${base}/:id/versions/:version`, removeVersion);
  routes.get(`${base}/:id/versions/:version/content`, async (c) => {
    const { skillId, id } = await versionIn(c, "time");
    return answerContent(c, skillId, id);
  });
  routes.all(`${base}/*`, notServed);
}

export function answerAnthropicRefusal(error: unknown, c: HonoContext<HttpEnv>): Response {
  return answerRefusal(error, c, anthropicRefusal, "request-id");
}

/** Anthropic's rule: a request that names the beta gets the beta's format. */
function shapeOf(c: HonoContext<HttpEnv>): VendorApiShape {
  const betas = (c.req.header("anthropic-beta") ?? "").split(",").map((beta) => beta.trim());
  return betas.includes(BETA) ? "beta" : "ga";
}

function titleIn(texts: ReadonlyMap<string, string>): string | null {
  const [field, title] = [...texts][0] ?? [];
  if (title === undefined || title.trim() === "") return null;
  if (title.length <= TITLE_CHARS && !/[\p{Cc}\u2028\u2029]/u.test(title)) return title;
  const message = `Title too long or not on one line (limit ${TITLE_CHARS} characters). Use a shorter title without line breaks.`;
  throw invalid([{ code: "INVALID_FIELD", message, path: field ?? "" }]);
}

async function listSkills(c: HonoContext<HttpEnv>): Promise<Response> {
  const { context, scope } = vendorScopeOf(c);
  const source = wordOf(c, "source", ["custom", "anthropic"]);
  const limit = limitOf(c);
  const after = decodeCursor(c.req.query("page") || undefined, byName)?.name ?? null;
  const asked = source === "anthropic" ? PUBLIC_SCOPE : scope;
  const rows = context.settings.SKILLS_ENABLED ? await listVendorSkillsByName(context.db, asked, after, limit + 1) : [];
  const { page, nextCursor } = pageOf(rows, limit, ({ name }) => ({ name }));
  return pageAnswer(
    c,
    page.map((skill) => anthropicSkill(skill, shapeOf(c))),
    nextCursor,
  );
}

async function listVersions(c: HonoContext<HttpEnv>): Promise<Response> {
  const place = vendorScopeOf(c);
  const skill = await findShown(place, skillIn(c));
  const limit = limitOf(c);
  const after = decodeCursor(c.req.query("page") || undefined, byNumber)?.number ?? null;
  const rows = await listVendorVersions(place.context.db, skill.id, { after, order: "desc", limit: limit + 1 });
  const { page, nextCursor } = pageOf(rows, limit, ({ number }) => ({ number }));
  return pageAnswer(
    c,
    page.map((version) => anthropicVersion(version, shapeOf(c))),
    nextCursor,
  );
}

async function removeSkill(c: HonoContext<HttpEnv>): Promise<Response> {
  const place = vendorScopeOf(c);
  const skill = await findChangeable(place, skillIn(c));
  if (shapeOf(c) === "beta" && skill.newest !== null) {
    const message = "The skill still has versions. Delete them first.";
    throw new GatewayError("invalid", "SKILL_HAS_VERSIONS", message);
  }
  await deleteSkill(place.context, skill.id, false);
  return jsonAnswer(c, { id: c.req.param("id"), type: "skill_deleted" });
}

/**
 * Deleting a version yanks it. The newest remaining version becomes current. Clients of the beta delete all versions before they delete a
 * skill.
 */
async function removeVersion(c: HonoContext<HttpEnv>): Promise<Response> {
  const place = vendorScopeOf(c);
  const skill = await findChangeable(place, skillIn(c));
  const version = await versionOf(c, skill, "time");
  const shape = shapeOf(c);
  await yank(place.context, skill.id, version.id, ({ isLast }) => {
    if (!isLast || shape === "beta") return;
    const message =
      "The last version of a skill cannot be deleted. Delete the skill, or publish another version first.";
    throw new GatewayError("conflict", "LAST_VERSION", message);
  });
  return jsonAnswer(c, { id: deletedVersionId(version, shape), type: "skill_version_deleted" });
}

function jsonAnswer(c: HonoContext<HttpEnv>, body: object): Response {
  return c.json(body, 200, { "request-id": c.get("requestId") });
}

function pageAnswer(c: HonoContext<HttpEnv>, data: readonly object[], nextCursor: string | null): Response {
  return jsonAnswer(c, { data, has_more: nextCursor !== null, next_page: nextCursor });
}
