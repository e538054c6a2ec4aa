// The routing report in the responses of validation and publishing.

import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { expectLog } from "../../support/logs";
import { clearRegistry, seedSkill } from "../../support/registry";
import { form, type SkillFixture, skillZip } from "../../support/skill";
import { SKILLS } from "./skills/published";

interface Routing {
  prompts: { prompt: string; rank: number | null; rank_without_examples: number | null; ahead: string[] }[];
  neighbours: { skill: string; prompts: number }[];
}

let alice: string;

const withPrompts = (prompts: string[], skill: SkillFixture = {}): SkillFixture => ({
  ...{ name: "kites", description: "Builds kites.", body: "Glue paper to sticks." },
  ...skill,
  files: { "evals/evals.json": JSON.stringify({ evals: prompts.map((prompt, id) => ({ id, prompt })) }) },
});

async function send(path: string, skill: SkillFixture, fields: Record<string, string> = {}, key = alice) {
  const answer = await call("POST", `${SKILLS}/${path}`, { key, body: form(skillZip(skill), fields) });
  return {
    status: answer.status,
    body: await answer.json<{ routing: Routing | null; status: { routing?: Routing } }>(),
  };
}
const validated = async (skill: SkillFixture, key = alice) => (await send("validate", skill, {}, key)).body.routing;
const indexed = () => env.DB.prepare("SELECT count(*) AS n FROM skill_search").first<number>("n");

beforeAll(async () => {
  alice = await keyFor("alice", { groups: ["team"] });
});
beforeEach(clearRegistry);

describe("a routing report", () => {
  it("shows the rank of each prompt and the skills ahead of it; validating stores nothing", async () => {
    await seedSkill({ name: "gliders", description: "Glider wind wings." });
    await seedSkill({ name: "weather", description: "Forecasts wind." });
    const skill = withPrompts(["Glue my paper", "What about the wind", "Nothing to do with it"]);
    expect(await validated(skill)).toEqual({
      prompts: [
        { prompt: "Glue my paper", rank: 1, rank_without_examples: 1, ahead: [] },
        {
          prompt: "What about the wind",
          rank: expect.any(Number),
          rank_without_examples: null,
          ahead: ["weather", "gliders"],
        },
        { prompt: "Nothing to do with it", rank: 1, rank_without_examples: null, ahead: [] },
      ],
      neighbours: [
        { skill: "weather", prompts: 1 },
        { skill: "gliders", prompts: 1 },
      ],
    });
    expect(await indexed()).toBe(2);
  });

  it("comes with a publish, also of another version: the skill is no neighbour of its own", async () => {
    const first = await send("upload", withPrompts(["Glue my paper"]));
    expect([first.status, first.body.status.routing?.prompts[0]]).toEqual([
      201,
      { prompt: "Glue my paper", rank: 1, rank_without_examples: 1, ahead: [] },
    ]);
    const second = await send("upload", withPrompts(["Glue my paper"], { body: "Glue other paper." }));
    expect([second.status, second.body.status.routing]).toEqual([201, first.body.status.routing]);
    expect(await indexed()).toBe(1);
    const found = await call("GET", `${SKILLS}?q=paper`, { key: alice });
    expect((await found.json<{ items: unknown[] }>()).items).toHaveLength(1);
  });

  it("is of what the publisher sees: nothing of others has a name in it, nor a place", async () => {
    const shared = { description: "Glue paper glue paper.", body: "Glue paper." };
    await seedSkill({ name: "bobs-secret", scope: "user:bob", ...shared });
    await seedSkill({ name: "their-secret", scope: "group:others", ...shared });
    await seedSkill({ name: "ours", scope: "group:team", ...shared });
    const skill = withPrompts(["Glue my paper"]);
    for (const report of [
      await validated(skill),
      (await send("upload", skill)).body.status.routing,
      (await send("upload", skill, { namespace: "team" })).body.status.routing,
    ]) {
      expect(report?.neighbours).toEqual([{ skill: "ours", prompts: 1 }]);
      expect(report?.prompts).toEqual([
        { prompt: "Glue my paper", rank: 2, rank_without_examples: 2, ahead: ["ours"] },
      ]);
    }
  });

  it("leaves out what hides, what is hidden, and what only users may choose", async () => {
    await seedSkill({ name: "twice", scope: "public", description: "Paper glue." });
    await seedSkill({ name: "twice", scope: "user:alice", description: "Something." });
    await seedSkill({ name: "kites", scope: "public", description: "Paper glue." });
    await send("upload", {
      name: "by-hand",
      description: "Paper glue.",
      frontmatter: "disable-model-invocation: true",
    });
    expect((await validated(withPrompts(["paper glue"])))?.neighbours).toEqual([]);
    const kept = withPrompts(["paper glue"], { frontmatter: "disable-model-invocation: true" });
    expect(await validated(kept)).toBeNull();
  });

  it("accepts at most twenty prompts, of which ten are searched", async () => {
    const prompts = Array.from({ length: 30 }, (_, n) => `only${n} matter`);
    const report = await validated(withPrompts(prompts));
    expect(report?.prompts).toHaveLength(20);
    expect(report?.prompts.map(({ rank }) => rank === 1).filter((isFound) => isFound)).toHaveLength(20);
    expect(report?.prompts.every((each) => each.rank_without_examples === null)).toBe(true);
  });

  it("is absent without prompts, and the author gets a warning for a file that cannot be read", async () => {
    expect(await validated({ name: "kites" })).toBeNull();
    expect((await send("upload", { name: "kites" })).body.status).not.toHaveProperty("routing");
    const broken = await send("validate", { name: "kites", files: { "evals/evals.json": "{" } });
    expect(broken.body).toMatchObject({ routing: null, valid: true, warnings: [{ code: "EXAMPLES_UNREADABLE" }] });
  });

  it("does not prevent publishing if the index is missing", async () => {
    expectLog("search_index_missing");
    const made = await env.DB.prepare("SELECT sql FROM sqlite_master WHERE name = 'skill_search'").first<string>("sql");
    await env.DB.prepare("DROP TABLE skill_search").run();
    const { status, body } = await send("upload", withPrompts(["Glue my paper"]));
    expect([status, body.status.routing]).toEqual([201, undefined]);
    await env.DB.prepare(made!).run();
  });
});
