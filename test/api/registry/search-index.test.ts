// A missing search index: the gateway keeps serving, reports the missing index, and rebuilds it.

import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../../src/storage/d1/database";
import { reindexSkills } from "../../../src/storage/d1/search";
import { call } from "../../support/call";
import { holdClock, pass, releaseClock } from "../../support/clock";
import { seedSkill, seedVersion } from "../../support/registry";
import { form, skillZip } from "../../support/skill";

const USER = "searcher";
const asUser = { as: USER };

afterEach(() => {
  releaseClock();
  vi.restoreAllMocks();
});

const dropIndex = () => env.DB.prepare("DROP TABLE IF EXISTS skill_search").run();

async function upload(name: string, description: string, version = "1.0.0") {
  const body = form(skillZip({ name, description, version }), {});
  const answer = await call("POST", "/api/v1/kinds/skills/upload", { ...asUser, body });
  const skill = await answer.json<{ metadata: { labels: { id: string } } }>();
  return { status: answer.status, id: skill.metadata?.labels.id };
}

/** Returns the answer of `find_skill` to the user's model. */
async function find(query: string): Promise<string> {
  const calls = [{ id: crypto.randomUUID(), name: "find_skill", arguments: { query } }];
  const chat = `/api/v1/conversations/${crypto.randomUUID()}`;
  await call("PUT", chat, { ...asUser, json: {} });
  await call("POST", `${chat}/turns`, { ...asUser, json: { format: "openai" } });
  const answer = await call("POST", `${chat}/tool-calls`, { ...asUser, json: { calls } });
  const { results } = await answer.json<{ results: { content: { text: string }[] }[] }>();
  return results[0]?.content[0]?.text ?? "";
}

async function reindexAll(): Promise<number> {
  let total = 0;
  let after: number | null = 0;
  while (after !== null) {
    const answer = await call("POST", "/api/v1/search-index", { json: { after } });
    const { indexed, next }: { indexed: number; next: number | null } = await answer.json();
    total += indexed;
    after = next;
  }
  return total;
}

async function health() {
  const answer = await call("GET", "/health", { key: null });
  return { code: answer.status, ...(await answer.json<Record<string, unknown>>()) };
}

describe("without the search index", () => {
  it("publishes, upgrades and deletes; health names what is missing and the command that mends it", async () => {
    holdClock();
    const old = await upload("older", "Counts whales.");
    await dropIndex();
    expect((await upload("newer", "Counts seals.")).status).toBe(201);
    expect((await upload("older", "Counts dolphins.", "2.0.0")).status).toBe(201);
    const gone = await upload("brief", "Counts for a moment.");
    expect((await call("DELETE", `/api/v1/kinds/skills/${gone.id}`, asUser)).status).toBe(204);
    expect(await find("seals")).toMatch(/^Error: Search is not available\./);
    pass(2_000);
    expect(await health()).toMatchObject({
      code: 200,
      status: "degraded",
      checks: { d1: "ok", search: "absent" },
      issues: [{ code: "SEARCH_INDEX_MISSING", message: expect.stringContaining("npm run reindex") }],
    });

    expect(await reindexAll()).toBeGreaterThanOrEqual(2);
    expect(await find("seals")).toContain("newer");
    expect(await find("dolphins")).toContain("older");
    expect(await find("whales")).not.toContain("older");
    pass(2_000);
    const mended = await health();
    expect(mended).toMatchObject({ code: 200, status: "ok", checks: { search: "ok" } });
    expect(mended).not.toHaveProperty("issues");
    expect(old.status).toBe(201);
  });

  it("is the index of the migration again, to the letter", async () => {
    const made = "SELECT sql FROM sqlite_master WHERE name = 'skill_search'";
    const before = await env.DB.prepare(made).first<string>("sql");
    await dropIndex();
    await reindexAll();
    const after = await env.DB.prepare(made).first<string>("sql");
    expect(after?.replace("IF NOT EXISTS ", "")).toBe(before);
  });
});

describe("reindexing", () => {
  it("continues where it stopped, without duplicates and without deleted skills", async () => {
    await env.DB.prepare(
      "INSERT INTO skill_search (rowid, scope, name, description, tags) VALUES (999999, '', 'ghostly', '', '')",
    ).run();
    await Promise.all(Array.from({ length: 5 }, (_, n) => seedSkill({ name: `page-${n}`, scope: `user:${USER}` })));
    const first = await call("POST", "/api/v1/search-index");
    expect(first.status).toBe(200);
    await Promise.all([reindexAll(), reindexAll()]);
    const { results } = await env.DB.prepare("SELECT rowid FROM skill_search ORDER BY rowid").all<{ rowid: number }>();
    const skills = await env.DB.prepare("SELECT seq AS rowid FROM skills ORDER BY seq").all();
    expect(results).toEqual(skills.results);
  });

  it("does not write over what a publish has indexed while it was reading", async () => {
    const skill = await seedSkill({ name: "racing", scope: `user:${USER}`, description: "Counts otters." });
    let batches = 0;
    const session: Pick<D1DatabaseSession, "prepare" | "batch"> = {
      prepare: (query) => env.DB.prepare(query),
      batch: async (statements) => {
        // Between the reading and the writing.
        if (batches++ === 1) await seedVersion(skill, { description: "Counts badgers." });
        return env.DB.batch(statements);
      },
    };
    await reindexSkills(openDatabase(session, { storage: 0 }), 0, 1_000);
    expect(batches).toBe(2);
    expect(await find("badgers")).toContain("racing");
    expect(await find("otters")).not.toContain("racing");
  });

  it("rejects users who are not admins, and invalid positions", async () => {
    const refused = await call("POST", "/api/v1/search-index", { as: USER });
    expect(refused.status).toBe(403);
    expect((await call("POST", "/api/v1/search-index", { json: { after: -1 } })).status).toBe(400);
  });
});
