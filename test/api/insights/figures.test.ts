// Figures of skills, versions and servers: what conversations report, and who can see it.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn, publishPublic, talk } from "../../support/chat-turns";
import { holdClockAtNoon, pass, releaseClock } from "../../support/clock";
import { providerSkill } from "../../support/provider";
import { clearRegistry } from "../../support/registry";
import { HOUR, runCron, sendCounts } from "../../support/skill-use";

const I = "/api/v1/insights";
const DAY = 24 * HOUR;

type Figures = Record<string, unknown>;
interface Overview {
  totals: Figures;
  before: Figures;
  series: Figures[];
}
interface List {
  items: Figures[];
  next_cursor: string | null;
}

beforeEach(async () => {
  await clearRegistry();
  await env.DB.batch(["use_hours", "listings", "service_use"].map((name) => env.DB.prepare(`DELETE FROM ${name}`)));
  holdClockAtNoon();
});
afterEach(releaseClock);

async function read<T = List>(path: string, key?: string): Promise<T> {
  const answer = await call("GET", `${I}/${path}`, key === undefined ? {} : { key });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json<T>();
}

const statusOf = async (path: string, key?: string) =>
  (await call("GET", `${I}/${path}`, key === undefined ? {} : { key })).status;

describe("figures of skills", () => {
  it("contain lists, searches, loads, calls, failures and scripts of the hour", { tags: ["slow"] }, async () => {
    const files = { "scripts/ok.js": "console.log(1)", "scripts/bad.js": "process.exit(3)" };
    const tools = { echo: "return 'said'", fail: "throw new Error('no')" };
    const echoes = await publishPublic(providerSkill("echoes", tools, { version: "1.0.0", body: "Say it again." }));
    const runner = await publishPublic({ name: "runner", body: "Runs.", files });
    const chat = await talk("facts-ada");
    await chat.turn();
    await chat.use("find_skill", { query: "echoes" });
    await chat.use("find_skill", { query: "zebra quantum" });
    await chat.load("echoes");
    await chat.use("echo");
    await chat.use("fail");
    await chat.use("execute_skill_script", { skill_name: "runner", script_path: "scripts/ok.js" });
    await chat.use("execute_skill_script", { skill_name: "runner", script_path: "scripts/bad.js" });
    await chat.turn();
    await sendCounts(chat, "facts-ada");
    const { totals, series } = await read<Overview>("overview?interval=hour");
    expect(totals).toMatchObject({ loads: 1, calls: 4, failures: 2, found: 1, scripts_ok: 1, scripts_failed: 1 });
    expect(totals).toMatchObject({ searches: 2, searches_empty: 1, scripts_killed: 0, liked: 0 });
    expect(series).toHaveLength(1);
    expect(series[0]).toMatchObject({ at: new Date(Date.now() - HOUR).toISOString(), calls: 4 });
    // The hourly job adds the lists.
    await runCron();
    const { items } = await read("skills");
    expect(items).toMatchObject([
      { skill_id: echoes.id, loads: 1, calls: 2, failures: 1, found: 1, listed: 2 },
      { skill_id: runner.id, loads: 0, calls: 2, failures: 1, scripts_ok: 1, scripts_failed: 1, listed: 2 },
    ]);
    await runCron();
    expect((await read("skills")).items).toEqual(items);
    const [version] = (await read(`versions?skill_id=${echoes.id}`)).items;
    expect(version).toMatchObject({ version: "1.0.0", is_current: true, is_yanked: false, calls: 2, listed: 2 });
  });

  it("stay the same when hours become days, and include those of deleted skills in the sums", async () => {
    const { id } = await publishPublic({ name: "passing" });
    const chat = await talk("facts-days");
    await chat.turn();
    await chat.load("passing");
    await sendCounts(chat, "facts-days");
    await chat.turn();
    await chat.load("passing");
    await sendCounts(chat, "facts-days");
    const first = await read<Overview>("overview");
    expect(first.totals).toMatchObject({ loads: 2 });
    expect((await read<Overview>("overview?interval=hour")).series).toHaveLength(2);
    await call("DELETE", `/api/v1/kinds/skills/${id}`);
    pass(10 * DAY);
    await runCron();
    const rows = await env.DB.prepare("SELECT scope, hour % 86400000 AS rest FROM use_hours").all();
    expect(rows.results.sort()).toEqual([
      { scope: "*", rest: 0 },
      { scope: "public", rest: 0 },
    ]);
    const after = await read<Overview>("overview");
    expect([after.totals, after.series]).toEqual([first.totals, first.series]);
    pass(30 * DAY);
    expect(await read<Overview>("overview")).toMatchObject({ totals: { loads: 0 }, before: { loads: 2 }, series: [] });
  });

  it("list skills without use for thirty days, with the last day of use", async () => {
    const { id } = await publishPublic({ name: "once" });
    const never = await publishPublic({ name: "never" });
    await publishPublic({ name: "busy" });
    const chat = await talk("facts-unused");
    await chat.turn();
    await chat.load("once");
    await sendCounts(chat, "facts-unused");
    const day = new Date(Date.now() - HOUR).toISOString().slice(0, 10);
    expect((await read("unused")).items).toEqual([]);
    pass(40 * DAY);
    await chat.turn();
    await chat.load("busy");
    await sendCounts(chat, "facts-unused");
    await publishPublic({ name: "new" });
    // The database's clock wrote when the skills were made; the test's clock is ahead of it.
    const rest = (await read("unused")).items.filter(({ skill_name }) => skill_name !== "new");
    expect(rest).toMatchObject([
      { skill_id: id, last_used: day },
      { skill_id: never.id, last_used: null },
    ]);
  });

  it("are visible to the owner, maintainers of the group and admins", async () => {
    const owner = await keyFor("facts-owner");
    const mine = await publishOwn(owner, { name: "mine", body: "Mine." });
    await publishPublic({ name: "open" });
    const chat = await talk({ key: owner });
    await chat.turn();
    await chat.load("mine");
    await chat.load("open");
    await sendCounts(chat, "facts-owner");
    const names = async (key?: string) => (await read("skills", key)).items.map(({ skill_name }) => skill_name);
    expect(await names()).toEqual(["mine", "open"]);
    expect(await names(owner)).toEqual(["mine"]);
    expect((await read<Overview>("overview", owner)).totals).toMatchObject({ loads: 1, searches: 0 });
    const other = await keyFor("facts-other");
    expect(await names(other)).toEqual([]);
    expect((await read<Overview>("overview", other)).totals).toMatchObject({ loads: 0 });
    // A skill of somebody else looks like a missing one.
    const answers = [mine.id, "skl_none"].map((id) => call("GET", `${I}/versions?skill_id=${id}`, { key: other }));
    const [theirs, none] = await Promise.all(answers);
    expect([theirs?.status, none?.status]).toEqual([404, 404]);
    expect((await theirs?.json<{ detail: string }>())?.detail).toBe((await none?.json<{ detail: string }>())?.detail);
    expect(await statusOf("overview?group=public", other)).toBe(403);
    expect(await statusOf("overview?group=strangers", other)).toBe(404);
    expect((await read("skills?group=default", owner)).items).toHaveLength(1);
    expect((await read("skills?group=public")).items.map(({ skill_name }) => skill_name)).toEqual(["open"]);
  });

  it("come page by page and as CSV without formulas", async () => {
    const key = await keyFor("facts-csv");
    for (const name of ["first", "other", "plain"]) await publishOwn(key, { name, body: "Text." });
    const chat = await talk({ key });
    for (const name of ["plain", "plain", "first", "other"]) {
      await chat.turn();
      await chat.load(name);
    }
    await sendCounts(chat, "facts-csv");
    const first = await read("skills?limit=1", key);
    expect(first.items).toMatchObject([{ skill_name: "plain", loads: 2 }]);
    const rest = await read(`skills?limit=5&cursor=${first.next_cursor}`, key);
    expect([rest.items.map(({ skill_name }) => skill_name), rest.next_cursor]).toEqual([["first", "other"], null]);
    const file = await call("GET", `${I}/skills?limit=2`, { key, headers: { accept: "text/csv" } });
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [head, ...lines] = (await file.text()).split("\r\n");
    expect(head).toMatch(/^skill_id,skill_name,scope,listed,loads,/);
    expect(lines[0]).toContain(",plain,user:facts-csv,");
    expect(lines[1]).toContain(",first,user:facts-csv,");
    const next = file.headers.get("x-next-cursor");
    const last = await call("GET", `${I}/skills?format=csv&cursor=${next}`, { key });
    expect(await last.text()).toContain(",other,user:facts-csv,");
    expect(last.headers.get("x-next-cursor")).toBeNull();
  });

  it("reject periods that are too long or do not exist", async () => {
    for (const query of ["from=2026-02-30&to=2026-03-01", "from=2026-03-02&to=2026-03-01", "from=2020-01-01"])
      expect(await statusOf(`overview?${query}`)).toBe(400);
    expect(await statusOf("overview?interval=hour&from=2026-01-01&to=2026-01-20")).toBe(400);
    expect(await statusOf("skills?cursor=x")).toBe(400);
  });
});
