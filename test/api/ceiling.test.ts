// The token limit for a conversation's skills in a prompt, for preloaded, selected, loaded and required skills.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { BYTES_PER_ALLOWED_TOKEN } from "../../src/domain/conversation/budget";
import { policyOf } from "../../src/domain/conversation/settings";
import { call } from "../support/call";
import { seedSkill, seedVersion } from "../support/registry";

interface Body {
  code: string;
  issues: { code: string; path: string }[];
  system: string;
  active: { skill: string; tokens: number }[];
  warnings: { code: string; path: string }[];
  results: { isError?: boolean; content: { text: string }[] }[];
}

const CEILING = 200_000;
const LARGE = 256 * 1024;
let made = 0;

async function send(method: string, path: string, json?: unknown, as = "ceiling"): Promise<[number, Body, number]> {
  const response = await call(method, `/api/v1${path}`, { as, json });
  const text = await response.text();
  return [response.status, JSON.parse(text), text.length];
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
async function seed(prefix: string, count: number, tokens: number, more = ""): Promise<void> {
  await Promise.all(names(prefix, count).map((name) => seedSkill({ name, scope: "user:ceiling", tokens })));
  // Appended with SQL, because counting the tokens of such a long text would slow this test down.
  await env.DB.prepare(
    "UPDATE versions SET instructions = instructions || ?1 WHERE skill_id IN (SELECT id FROM skills WHERE name LIKE ?2 || '-%')",
  )
    .bind(more, prefix)
    .run();
}
const load = (id: string, skill_name: string) =>
  send("POST", `/conversations/${id}/tool-calls`, {
    calls: [{ id: `c${made++}`, name: "load_skill", arguments: { skill_name } }],
  });

beforeAll(async () => {
  await seed("large", 3, 60_000, "word ".repeat(LARGE / 5 - 10));
  // A long line of equal signs is only a few thousand tokens.
  await seed("line", 60, 1_000, "=".repeat(LARGE - 20));
}, 60_000);

describe("the ceiling of active instructions", () => {
  it("holds for preloaded skills that have few tokens and many bytes, and says what is left out", async () => {
    const preload_skills = names("line", 60);
    const spec = { skills: ["*"], preload_skills };
    const [status, turn, size] = await send("POST", "/conversations/lines/turns", { conversation: { spec } });
    expect(status).toBe(200);
    expect(turn.active.map(({ skill }) => skill)).toEqual(["line-0", "line-1", "line-2"]);
    expect(turn.warnings.map(({ code, path }) => `${code} ${path}`)).toEqual(
      preload_skills.slice(3).map((name) => `OVER_CEILING ${name}`),
    );
    const most = CEILING * BYTES_PER_ALLOWED_TOKEN;
    expect(size).toBeLessThan(most + 100_000);
    expect((await send("GET", "/conversations/lines/prompt"))[2]).toBeLessThan(most + 10_000);
  });

  it("holds for what is preloaded, selected and loaded together, by tokens", async () => {
    const spec = { skills: ["*"], preload_skills: ["large-0"] };
    const [, turn] = await send("POST", "/conversations/mixed/turns", {
      conversation: { spec },
      selected_skills: ["large-1", "large-2"],
    });
    expect(turn.active.map(({ skill }) => skill)).toEqual(["large-0", "large-1", "large-2"]);
    await seedSkill({ name: "small", scope: "user:ceiling", tokens: 15_000 });
    await seedSkill({ name: "other", scope: "user:ceiling", tokens: 15_000 });
    const [, first] = await load("mixed", "small");
    expect(first.active).toHaveLength(4);
    // The least recently used skill is evicted, as with any budget. Preloaded and selected skills stay.
    const [, second] = await load("mixed", "other");
    expect(second.active.map(({ skill }) => skill)).toEqual(["large-0", "large-1", "large-2", "other"]);
    await seedSkill({ name: "bulky", scope: "user:ceiling", tokens: 20_001 });
    const [, third] = await load("mixed", "bulky");
    expect(third.results[0]).toMatchObject({ isError: true });
    expect(third.active).toEqual(second.active);
  });

  it("holds for a dependency, and for a version that grew", async () => {
    const grown = await seedSkill({ name: "grown", scope: "user:ceiling", tokens: 10 });
    await seedSkill({ name: "needy", scope: "user:ceiling", tokens: 10, dependencies: ["grown"] });
    const conversation = { spec: { skills: ["*"], preload_skills: ["needy"] } };
    const [, before] = await send("POST", "/conversations/grown/turns", { conversation });
    expect(before.active).toHaveLength(2);
    await seedVersion(grown, { tokens: CEILING });
    const [status, after] = await send("POST", "/conversations/grown/turns", {});
    expect([status, after.active, after.warnings]).toMatchObject([200, [], [{ code: "OVER_CEILING", path: "needy" }]]);
  });

  it("refuses to save what is known to be too much", async () => {
    await seed("known", 4, 60_000);
    const spec = { systemPrompt: "", skills: ["*"], preload_skills: names("known", 4) };
    const problem = { issues: [{ code: "OVER_CEILING", path: "spec.preload_skills" }] };
    const [status, refused] = await send("POST", "/conversations", { id: "known", spec });
    expect([status, refused]).toMatchObject([400, problem]);
    const ghost = { metadata: { name: "known", namespace: "default" }, spec };
    const [atGhosts, alike] = await send("POST", "/kinds/ghosts", { ...ghost, kind: "Ghost" });
    expect([atGhosts, alike]).toMatchObject([400, problem]);
    spec.preload_skills.pop();
    expect((await send("POST", "/conversations", { id: "known", spec }))[0]).toBe(201);
  });

  it("bounds what a conversation may ask for, also where it was allowed before", async () => {
    const [status, refused] = await send("POST", "/conversations", { id: "asks", max_skill_tokens: CEILING + 1 });
    expect([status, refused]).toMatchObject([400, { issues: [{ code: "OVER_CEILING", path: "max_skill_tokens" }] }]);
    expect((await send("POST", "/conversations", { id: "asks", max_skill_tokens: CEILING }))[0]).toBe(201);
    const gateway = { SKILL_RETENTION_TURNS: 5, SKILL_TOKENS_MAX: 1_000 };
    expect(
      policyOf({ max_skill_tokens: 10_000_000 }, null, gateway, { format: "openai", defaultsToAuto: true })
        .max_skill_tokens,
    ).toBe(1_000);
    expect(
      policyOf({ max_skill_tokens: 10 }, null, gateway, { format: "openai", defaultsToAuto: true }).max_skill_tokens,
    ).toBe(10);
    expect(policyOf({}, null, gateway, { format: "openai", defaultsToAuto: true })).toMatchObject({
      max_skill_tokens: 1_000,
      max_skill_bytes: 5_000,
    });
  });
});
