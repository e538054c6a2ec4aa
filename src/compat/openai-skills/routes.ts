// OpenAI's Skills API. Versions are identified by number, and a new one becomes the default only if the form says so.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import * as z from "zod";
import { openaiRefusal } from "../../domain/compat/vendor-errors";
import { skillIdOf, vendorSkillId, vendorVersionId, versionIdOf } from "../../domain/compat/vendor-ids";
import { GatewayError, invalid } from "../../domain/errors";
import { limitBody, limitJsonDepth } from "../../edge/body";
import type { HttpEnv } from "../../edge/edge";
import { issuesOf } from "../../edge/errors";
import {
  createVendorSkill,
  createVendorVersion,
  findChangeable,
  findShown,
  findVendorVersion,
} from "../../services/compat/vendor-skills";
import { deleteSkill } from "../../services/registry/deletion";
import { activate, yank } from "../../services/registry/skills";
import {
  listVendorSkillsByTime,
  listVendorVersions,
  readVersionNumber,
  type VendorSkill,
  type VendorVersion,
} from "../../storage/d1/compat/vendor-skills";
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
  wrongQuery,
} from "../vendor-api";

const ORDERS = ["asc", "desc"] as const;
const FLAGS: ReadonlyMap<string | undefined, boolean> = new Map([
  [undefined, false],
  ["false", false],
  ["true", true],
]);
const update = z.strictObject({ default_version: z.string() });

/** Adds the routes below a path that ends with `/openai/v1/skills`. */
export function addOpenaiSkills(routes: OpenAPIHono<HttpEnv>, base: string): void {
  routes.post(`${base}/*`, limitBody, limitJsonDepth);
  routes.post(base, async (c) => {
    const { upload } = await readUpload(c, []);
    return c.json(openaiSkill(await createVendorSkill(vendorScopeOf(c), upload, null)));
  });
  routes.get(base, listSkills);
  routes.get(`${base}/:id`, async (c) => c.json(openaiSkill(await findShown(vendorScopeOf(c), skillIn(c)))));
  routes.post(`${base}/:id`, setDefault);
  routes.delete(`${base}/:id`, async (c) => {
    const place = vendorScopeOf(c);
    const { id } = await findChangeable(place, skillIn(c));
    await deleteSkill(place.context, id, false);
    return c.json({ id: vendorSkillId(id), object: "skill.deleted", deleted: true });
  });
  routes.get(`${base}/:id/content`, async (c) => {
    const { id, currentId } = await findShown(vendorScopeOf(c), skillIn(c));
    return answerContent(c, id, currentId);
  });
  routes.post(`${base}/:id/versions`, createVersion);
  routes.get(`${base}/:id/versions`, listVersions);
  routes.get(`${base}/:id/versions/:version`, async (c) => c.json(openaiVersion(await versionIn(c, "number"))));
  routes.delete(`${base}/:id/versions/:version`, removeVersion);
  routes.get(`${base}/:id/versions/:version/content`, async (c) => {
    const { skillId, id } = await versionIn(c, "number");
    return answerContent(c, skillId, id);
  });
  routes.all(`${base}/*`, notServed);
}

export function answerOpenaiRefusal(error: unknown, c: HonoContext<HttpEnv>): Response {
  return answerRefusal(error, c, openaiRefusal, "x-request-id");
}

async function listSkills(c: HonoContext<HttpEnv>): Promise<Response> {
  const { context, scope } = vendorScopeOf(c);
  const order = wordOf(c, "order", ORDERS) ?? "desc";
  const limit = limitOf(c);
  const asked = c.req.query("after") || null;
  const after = asked === null ? null : skillIdOf(asked);
  if (asked !== null && after === null) throw wrongQuery("after", "The id of the last skill of the page before.");
  const rows = context.settings.SKILLS_ENABLED
    ? await listVendorSkillsByTime(context.db, scope, { after, order, limit: limit + 1 })
    : [];
  return c.json(pageIn(rows.map(openaiSkill), limit));
}

async function listVersions(c: HonoContext<HttpEnv>): Promise<Response> {
  const place = vendorScopeOf(c);
  const skill = await findShown(place, skillIn(c));
  const order = wordOf(c, "order", ORDERS) ?? "desc";
  const limit = limitOf(c);
  const asked = c.req.query("after") || null;
  const after = asked === null ? null : await numberAfter(place.context.db, skill.id, asked);
  const rows = await listVendorVersions(place.context.db, skill.id, { after, order, limit: limit + 1 });
  return c.json(pageIn(rows.map(openaiVersion), limit));
}

async function numberAfter(db: Parameters<typeof readVersionNumber>[0], skillId: string, text: string) {
  const id = versionIdOf(text);
  const number = id === null ? null : await readVersionNumber(db, skillId, id);
  if (number === null) throw wrongQuery("after", "The id of the last version of the page before.");
  return number;
}

async function createVersion(c: HonoContext<HttpEnv>): Promise<Response> {
  const place = vendorScopeOf(c);
  const { upload, texts } = await readUpload(c, ["default"]);
  const isDefault = FLAGS.get(texts.get("default"));
  if (isDefault === undefined)
    throw invalid([{ code: "INVALID_FIELD", message: "`true` or `false`.", path: "default" }]);
  return c.json(openaiVersion(await createVendorVersion(place, skillIn(c), upload, { keepsCurrent: !isDefault })));
}

async function setDefault(c: HonoContext<HttpEnv>): Promise<Response> {
  const place = vendorScopeOf(c);
  const read = update.safeParse(await readJson(c));
  if (!read.success) throw invalid(issuesOf(read.error));
  const skill = await findChangeable(place, skillIn(c));
  const version = await findVendorVersion(place, skill, read.data.default_version, "number");
  await activate(place.context, skill.id, version.id);
  return c.json(openaiSkill(await findShown(place, skill.id)));
}

async function readJson(c: HonoContext<HttpEnv>): Promise<unknown> {
  try {
    return await c.req.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalid([{ code: "INVALID_BODY", message: "The body is not valid JSON. Fix the syntax." }]);
  }
}

/** The default version cannot be deleted, because requests without a version would silently get another one. */
async function removeVersion(c: HonoContext<HttpEnv>): Promise<Response> {
  const place = vendorScopeOf(c);
  const skill = await findChangeable(place, skillIn(c));
  const version = await versionOf(c, skill, "number");
  await yank(place.context, skill.id, version.id, ({ isCurrent }) => {
    if (!isCurrent) return;
    const message = "The default version cannot be deleted. Make another version the default first.";
    throw new GatewayError("invalid", "DEFAULT_VERSION", message);
  });
  const resource = { id: vendorVersionId(version.id), version: String(version.number) };
  return c.json({ ...resource, object: "skill.version.deleted", deleted: true });
}

function openaiSkill({ id, name, description, createdAt, number, newest }: VendorSkill) {
  return {
    id: vendorSkillId(id),
    object: "skill",
    created_at: Math.floor(createdAt / 1_000),
    name,
    description,
    default_version: String(number),
    latest_version: String(newest ?? number),
  } as const;
}

function openaiVersion({ id, skillId, name, description, createdAt, number }: VendorVersion) {
  return {
    id: vendorVersionId(id),
    object: "skill.version",
    skill_id: vendorSkillId(skillId),
    version: String(number),
    name,
    description,
    created_at: Math.floor(createdAt / 1_000),
  } as const;
}

/** Returns a page of rows that were read with a limit of one more. */
function pageIn<R extends { id: string }>(rows: readonly R[], limit: number) {
  const data = rows.slice(0, limit);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { object: "list", data, ...ends, has_more: rows.length > limit } as const;
}
