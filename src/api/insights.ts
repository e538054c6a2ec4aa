// Routes for /api/v1/insights: figures of skills, versions, MCP servers and models, as JSON or CSV.

import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { GROUP_NAME } from "../domain/access/access";
import { LIST_PRICES_OF } from "../domain/chat/list-prices";
import { USE_COUNTS } from "../domain/conversation/skill-use";
import { type CsvValue, csvOf } from "../domain/insights/csv";
import { dateText, INSIGHT_LIMITS } from "../domain/insights/period";
import { REQUEST_LIMITS } from "../domain/limits";
import type { HttpEnv } from "../edge/edge";
import { router } from "../edge/router";
import { described, instant, integerParameter, json, pageQuery, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { failingVersions, outcomesOf } from "../services/insights/failing";
import {
  overviewFigures,
  type ScopeFigures,
  searchFigures,
  serviceFigures,
  skillFigures,
  unusedSkills,
  versionFigures,
} from "../services/insights/figures";
import { SKILL_SORTS } from "../storage/d1/insights/read";
import type { ComparedVersion } from "../storage/d1/registry/rollouts";

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "use YYYY-MM-DD");
const format = z
  .enum(["json", "csv"])
  .optional()
  .openapi({ description: "`csv`: a file, as with `Accept: text/csv`." });
const group = z.string().regex(GROUP_NAME).optional();
const period = { from: date.optional(), to: date.optional() };
const page = { ...pageQuery.shape, format };

const NAMES = {
  loads: "Loads by name, and new selections by users.",
  calls: "Calls of tools and scripts.",
  failures: "Those of the calls that failed.",
  tokens: "Tokens of instructions that were sent to models.",
  found: "Results of `find_skill` that contained the skill.",
  scripts_ok: "Script runs with exit code 0.",
  scripts_failed: "Script runs with another exit code.",
  scripts_killed: "Script runs that did not end by themselves, for example because of a timeout.",
  liked: "Turns with good feedback in which the skill was active.",
  disliked: "Turns with bad feedback in which the skill was active.",
};
const number = (description: string) => z.int().openapi({ description });
const use = () => ({
  loads: number(NAMES.loads),
  calls: number(NAMES.calls),
  failures: number(NAMES.failures),
  tokens: number(NAMES.tokens),
  found: number(NAMES.found),
  scripts_ok: number(NAMES.scripts_ok),
  scripts_failed: number(NAMES.scripts_failed),
  scripts_killed: number(NAMES.scripts_killed),
  liked: number(NAMES.liked),
  disliked: number(NAMES.disliked),
});
const listed = () => ({ listed: number("Turns in which the model was shown the skill in its list.") });
const searches = () => ({
  searches: number("Searches for skills. Only for admins, and 0 with `group`."),
  searches_empty: number("Those of the searches without a result."),
});
const modelUse = () => ({
  calls: z.int(),
  failures: z.int(),
  tokens: number("Tokens of requests to a model, as it reports them, otherwise estimated."),
  fresh: number("The part of the tokens that was reported as input, neither read from a cache nor written to one."),
  cache_read: number("The part that was read from a cache."),
  cache_write: number("The part that was written to a cache."),
  output: number("The part that was output."),
  priced_tokens: number("The part of the tokens that `cost_usd` is the cost of."),
  cost_usd: z
    .number()
    .nullable()
    .openapi({
      description: `US dollars at the list prices of ${LIST_PRICES_OF}, rounded to millionths; null: no token has a known price.`,
    }),
});
const skillName = () => ({
  skill_id: z.string(),
  skill_name: z.string(),
  scope: z.string().openapi({ description: "`user:<id>`, `group:<name>` or `public`." }),
});

const failingSchema = () =>
  z
    .object({
      ...skillName(),
      version_id: z.string(),
      version: z.string().nullable(),
      since: z.string(),
      percent: z.int().nullable().openapi({ description: "The share of a rollout; null: the current version." }),
      uses: z.int(),
      failures: z.int(),
      former: z.object({ version_id: z.string(), version: z.string().nullable(), uses: z.int(), failures: z.int() }),
    })
    .openapi("FailingVersion");

function wireFailing(row: ComparedVersion): z.infer<ReturnType<typeof failingSchema>> {
  const { candidate, former } = outcomesOf(row);
  return {
    ...{ skill_id: row.skillId, skill_name: row.name, scope: row.scope },
    ...{ version_id: row.candidateId, version: row.candidateLabel, percent: row.percent },
    ...{ since: instant(row.failingAt ?? row.startedAt), ...candidate },
    former: { version_id: row.formerId, version: row.formerLabel, ...former },
  };
}

/** A response as JSON or CSV. */
function table<T extends z.ZodType>(description: string, schema: () => T) {
  const { content } = json(description, schema);
  return { description, content: { ...content, "text/csv": described(() => z.string()) } } as const;
}

const wantsCsv = (c: Context<HttpEnv>, asked: string | undefined): boolean =>
  asked === "csv" || (asked === undefined && /^\s*text\/csv\b/i.test(c.req.header("accept") ?? ""));

/** Answers with a file. The cursor of the next page is in a header. */
function csvFile(
  c: Context<HttpEnv>,
  name: string,
  rows: readonly Readonly<Record<string, CsvValue>>[],
  columns: readonly string[],
  nextCursor: string | null = null,
) {
  return c.body(csvOf(rows, columns), 200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}.csv"`,
    ...(nextCursor === null ? {} : { "x-next-cursor": nextCursor }),
  });
}

/** Without a limit, a CSV file has longer pages than a list. */
const limitOf = (limit: number | undefined, isCsv: boolean): number =>
  limit ?? (isCsv ? INSIGHT_LIMITS.csvRows : REQUEST_LIMITS.listLimit);

/** In addition to those of servers. */
const MODEL_COLUMNS = ["fresh", "cache_read", "cache_write", "output", "priced_tokens", "cost_usd"];
const SEARCHES: (keyof ScopeFigures)[] = ["searches", "searches_empty"];

export const insightRoutes = router();

insightRoutes.openapi(
  createRoute({
    method: "get",
    path: "/overview",
    summary: "Returns the usage of skills over time.",
    request: { query: z.object({ ...period, group, interval: z.enum(["hour", "day"]).default("day"), format }) },
    responses: {
      200: table("The sums, and the figures by interval.", () =>
        z.object({
          from: z.string(),
          to: z.string(),
          interval: z.enum(["hour", "day"]),
          totals: z.object({ ...use(), ...searches() }),
          before: z
            .object({ ...use(), ...searches() })
            .openapi({ description: "The sums of the same time before `from`." }),
          series: z.array(z.object({ at: z.string(), ...use(), ...searches() })),
          models: z.object(modelUse()).openapi({ description: "The sums of all models." }),
          prices_of: z.string().openapi({ description: "The day on which the prices were last checked." }),
          failing: z.array(failingSchema()).openapi({
            description: "Versions that fail significantly more often than the version before, the latest first.",
          }),
        }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { format: asked, ...query } = c.req.valid("query");
    const [figures, failing] = await Promise.all([
      overviewFigures(c.get("context"), query),
      failingVersions(c.get("context"), query.group),
    ]);
    const { from, to, interval, totals, before, series, models } = figures;
    const rows = series.map(({ at, ...figures }) => ({ at: instant(at), ...figures }));
    if (wantsCsv(c, asked)) return csvFile(c, "overview", rows, ["at", ...USE_COUNTS, ...SEARCHES]);
    return c.json(
      {
        ...{ ...daysOf(from, to), interval, totals, before, series: rows, models, prices_of: LIST_PRICES_OF },
        failing: failing.map(wireFailing),
      },
      200,
    );
  },
);

insightRoutes.openapi(
  createRoute({
    method: "get",
    path: "/skills",
    summary: "Lists the figures of skills, most used first.",
    request: { query: z.object({ ...period, group, sort: z.enum(SKILL_SORTS).default("loads"), ...page }) },
    responses: {
      200: table("A page of the skills that were used.", () =>
        z.object({
          from: z.string(),
          to: z.string(),
          items: z.array(z.object({ ...skillName(), ...use(), ...listed() })),
          next_cursor: z.string().nullable(),
        }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { format: asked, limit, ...query } = c.req.valid("query");
    const isCsv = wantsCsv(c, asked);
    const found = await skillFigures(c.get("context"), { ...query, limit: limitOf(limit, isCsv) });
    const items = found.page.map(({ seq: _, ...row }) => row);
    const columns = ["skill_id", "skill_name", "scope", "listed", ...USE_COUNTS];
    if (isCsv) return csvFile(c, "skills", items, columns, found.nextCursor);
    return c.json({ ...daysOf(found.from, found.to), items, next_cursor: found.nextCursor }, 200);
  },
);

insightRoutes.openapi(
  createRoute({
    method: "get",
    path: "/unused",
    summary: "Lists skills without use, oldest first.",
    request: {
      query: z.object({
        group,
        days: integerParameter(1, INSIGHT_LIMITS.days).default(INSIGHT_LIMITS.unusedDays),
        ...page,
      }),
    },
    responses: {
      200: table("A page of the skills.", () =>
        z.object({
          items: z.array(z.object({ ...skillName(), created_at: z.string(), last_used: z.string().nullable() })),
          next_cursor: z.string().nullable(),
        }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { format: asked, limit, ...query } = c.req.valid("query");
    const isCsv = wantsCsv(c, asked);
    const found = await unusedSkills(c.get("context"), { ...query, limit: limitOf(limit, isCsv) });
    const items = found.page.map(({ seq: _, created_at, last_used, ...row }) => ({
      ...row,
      created_at: instant(created_at),
      last_used: last_used === null ? null : dateText(last_used),
    }));
    const columns = ["skill_id", "skill_name", "scope", "created_at", "last_used"];
    if (isCsv) return csvFile(c, "unused", items, columns, found.nextCursor);
    return c.json({ items, next_cursor: found.nextCursor }, 200);
  },
);

insightRoutes.openapi(
  createRoute({
    method: "get",
    path: "/versions",
    summary: "Lists the figures of the versions of a skill, newest first.",
    request: { query: z.object({ ...period, skill_id: z.string().max(200), ...page }) },
    responses: {
      200: table("A page of the versions.", () =>
        z.object({
          from: z.string(),
          to: z.string(),
          skill_id: z.string(),
          skill_name: z.string(),
          items: z.array(
            z.object({
              version_id: z.string(),
              version: z.string().nullable(),
              created_at: z.string(),
              is_current: z.boolean(),
              is_yanked: z.boolean(),
              ...use(),
              ...listed(),
            }),
          ),
          next_cursor: z.string().nullable(),
        }),
      ),
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { format: asked, limit, ...query } = c.req.valid("query");
    const isCsv = wantsCsv(c, asked);
    const found = await versionFigures(c.get("context"), { ...query, limit: limitOf(limit, isCsv) });
    const { skill } = found;
    const items = found.page.map(({ created_at, ...row }) => ({
      ...row,
      created_at: instant(created_at),
      is_current: row.version_id === skill.currentId,
    }));
    const columns = ["version_id", "version", "created_at", "is_current", "is_yanked", "listed", ...USE_COUNTS];
    if (isCsv) return csvFile(c, "versions", items, columns, found.nextCursor);
    const about = { ...daysOf(found.from, found.to), skill_id: skill.id, skill_name: skill.name };
    return c.json({ ...about, items, next_cursor: found.nextCursor }, 200);
  },
);

insightRoutes.openapi(
  createRoute({
    method: "get",
    path: "/services",
    summary: "Lists the calls of MCP servers or models, the most failures first.",
    request: { query: z.object({ ...period, group, kind: z.enum(["server", "model"]), ...page }) },
    responses: {
      200: table("A page of the servers or models.", () =>
        z.object({
          from: z.string(),
          to: z.string(),
          items: z.array(
            z.object({
              name: z.string(),
              scope: z.string().openapi({ description: "`user:<id>`, `group:<name>` or `gateway`." }),
              ...modelUse(),
            }),
          ),
          next_cursor: z.string().nullable(),
        }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { format: asked, limit, ...query } = c.req.valid("query");
    const isCsv = wantsCsv(c, asked);
    const found = await serviceFigures(c.get("context"), { ...query, limit: limitOf(limit, isCsv) });
    const columns = ["name", "scope", "calls", "failures", "tokens", ...(query.kind === "model" ? MODEL_COLUMNS : [])];
    if (isCsv) return csvFile(c, `${query.kind}s`, found.page, columns, found.nextCursor);
    return c.json({ ...daysOf(found.from, found.to), items: found.page, next_cursor: found.nextCursor }, 200);
  },
);

insightRoutes.openapi(
  createRoute({
    method: "get",
    path: "/searches",
    summary: "Lists searches that found no skill, the most frequent first.",
    request: { query: z.object({ ...period, ...page }) },
    responses: {
      200: table("A page of the searches.", () =>
        z.object({
          from: z.string(),
          to: z.string(),
          stored: z.boolean().openapi({ description: "Whether the gateway stores searches (`INSIGHT_QUERIES`)." }),
          items: z.array(
            z.object({ query: z.string(), count: z.int(), last_at: z.string() }).openapi({
              description: "`query` is cut to 200 characters and contains no secrets. Upper and lower case are equal.",
            }),
          ),
          next_cursor: z.string().nullable(),
        }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { format: asked, limit, ...query } = c.req.valid("query");
    const isCsv = wantsCsv(c, asked);
    const found = await searchFigures(c.get("context"), { ...query, limit: limitOf(limit, isCsv) });
    const items = found.page.map(({ query: text, count, last }) => ({ query: text, count, last_at: instant(last) }));
    if (isCsv) return csvFile(c, "searches", items, ["query", "count", "last_at"], found.nextCursor);
    const { from, to, isStored: stored, nextCursor: next_cursor } = found;
    return c.json({ ...daysOf(from, to), stored, items, next_cursor }, 200);
  },
);

const daysOf = (from: number, to: number) => ({ from: dateText(from), to: dateText(to - 1) });
