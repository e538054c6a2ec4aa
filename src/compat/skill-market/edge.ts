// Wegent's skill market: its front ends search and download public skills here. The market has one provider, the gateway itself.

import type { Context as HonoContext } from "hono";
import { settingsFrom } from "../../domain/settings/settings";
import { publicOrigin } from "../../domain/sign-in/resource";
import { attestationLink } from "../../edge/attestation-link";
import { crossOrigin } from "../../edge/cors";
import type { Edge, HttpEnv } from "../../edge/edge";
import { answerError } from "../../edge/errors";
import { disposition } from "../../edge/etag";
import { router } from "../../edge/router";
import { notInIndex } from "../../services/compat/published-index";
import { openMarketSkill, readMarket } from "../../services/compat/skill-market";
import { callersView } from "../../services/compat/viewers";

const PREFIX = "/api/skill-market";
const PROVIDER = { key: "gateway", name: "Skill Gateway" } as const;
const PAGE = { initial: 20, most: 100 } as const;
const PRIVATE = { "cache-control": "private, no-store", vary: "authorization" } as const;

type Handled = HonoContext<HttpEnv>;

const originOf = (c: Handled) => publicOrigin(settingsFrom(c.env), c.req.url);
const viewerOf = (c: Handled) => callersView(c.get("context"), { kind: "public" });

/** Returns the page where people see the market: the catalog, otherwise the console, if there is one. */
function marketUrl(c: Handled): string | null {
  const { PUBLIC_CATALOG, CONSOLE } = settingsFrom(c.env);
  if (PUBLIC_CATALOG !== "off") return `${originOf(c)}/skills`;
  return CONSOLE === "off" ? null : `${originOf(c)}/console/skills`;
}

/** Wegent's form of an error. */
const refusal = (c: Handled, status: 404 | 422 | 503, detail: unknown) => c.json({ detail }, status, PRIVATE);

/** Returns why the market cannot answer, or `null`. */
function refusedProvider(c: Handled): Response | null {
  const asked = c.req.query("provider") ?? "";
  if (asked !== "" && asked !== PROVIDER.key)
    return refusal(c, 404, { error: "Skill market provider not found", details: { provider: asked } });
  if (settingsFrom(c.env).SKILLS_ENABLED) return null;
  return refusal(c, 503, { error: "Skill market not available", message: "Skills are turned off (SKILLS_ENABLED)." });
}

function answerProviders(c: Handled): Response {
  const providers = settingsFrom(c.env).SKILLS_ENABLED ? [{ ...PROVIDER, market_url: marketUrl(c) }] : [];
  return c.json({ providers }, 200, PRIVATE);
}

function answerAvailable(c: Handled): Response {
  const available = settingsFrom(c.env).SKILLS_ENABLED;
  const market = available ? { market_name: PROVIDER.name, market_url: marketUrl(c) } : {};
  return c.json({ available, market_name: null, market_url: null, ...market }, 200, PRIVATE);
}

async function answerMarketSearch(c: Handled): Promise<Response> {
  const refused = refusedProvider(c);
  if (refused !== null) return refused;
  const problems: object[] = [];
  const whole = (field: string, initial: number, most: number) => {
    const input = c.req.query(field);
    if (input === undefined) return initial;
    const value = /^[+-]?\d+$/.test(input) ? Number(input) : Number.NaN;
    if (value >= 1 && value <= most) return value;
    const [type, msg] = Number.isNaN(value)
      ? ["int_parsing", "Input should be a valid integer, unable to parse string as an integer"]
      : value < 1
        ? ["greater_than_equal", "Input should be greater than or equal to 1"]
        : ["less_than_equal", `Input should be less than or equal to ${most}`];
    problems.push({ type, loc: ["query", field], msg, input });
    return initial;
  };
  const page = whole("page", 1, Number.MAX_SAFE_INTEGER);
  const pageSize = whole("pageSize", PAGE.initial, PAGE.most);
  if (problems.length > 0) return refusal(c, 422, problems);
  const keyword = (c.req.query("keyword") ?? "").trim();
  const tags = (c.req.query("tags") ?? "").split(",").flatMap((tag) => tag.trim() || []);
  const { total, rows } = await readMarket(viewerOf(c), { keyword, tags, page, pageSize }, Date.now());
  const skills = rows.map(({ row, loads }) => ({
    ...{ skillKey: row.name, originalSkillKey: row.name, name: row.displayName ?? row.name },
    ...{ description: row.description, author: row.author ?? "", visibility: "public", tags: row.tags },
    ...{ version: row.label ?? `${row.number}`, downloadCount: loads },
    ...{ createdAt: new Date(row.createdAt).toISOString(), hasDownloadPermission: true },
    permissionUrl: settingsFrom(c.env).CONSOLE === "off" ? "" : `${originOf(c)}/console/skills/${row.id}`,
  }));
  return c.json({ total, page, pageSize, skills }, 200, PRIVATE);
}

async function answerMarketDownload(c: Handled): Promise<Response> {
  const refused = refusedProvider(c);
  if (refused !== null) return refused;
  const skillKey = c.req.param("key") ?? "";
  const found = await openMarketSkill(viewerOf(c), skillKey);
  if (found === null) return refusal(c, 404, { error: "Skill not found", details: { skillKey } });
  const headers = {
    ...{ ...PRIVATE, "content-type": "application/zip", "content-length": `${found.size}` },
    ...{ "content-security-policy": "sandbox; default-src 'none'" },
    "content-disposition": disposition("attachment", `${found.name}.zip`),
    link: attestationLink(found.id, found.versionId),
  };
  return new Response(found.body, { headers });
}

/** Returns errors as Wegent's back end (FastAPI) does. The standard members stay beside them. */
async function answerMarketError(error: unknown, c: Handled): Promise<Response> {
  const problem = answerError(error, c);
  const { detail, ...body } = await problem.json<{ detail: string }>();
  return new Response(JSON.stringify({ ...body, detail: { error: detail } }), problem);
}

const routes = router();
routes.get(`${PREFIX}/providers`, answerProviders);
routes.get(`${PREFIX}/available`, answerAvailable);
routes.get(`${PREFIX}/search`, answerMarketSearch);
routes.get(`${PREFIX}/download/:key{.+}`, answerMarketDownload);
routes.all(`${PREFIX}/*`, () => {
  throw notInIndex();
});

export const marketEdge: Edge = { prefix: PREFIX, cors: [crossOrigin], routes, errors: answerMarketError };
