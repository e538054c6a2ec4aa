// GET /api/v1/kinds/skills?q=: the search of `find_skill` as an API, limited to the skills that the caller can see.

import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SEARCH_LIMITS } from "../../../src/domain/limits";
import { call, keyFor } from "../../support/call";
import { clearRegistry, seedSkill } from "../../support/registry";
import { problemOf, SKILLS, type Skill } from "./skills/published";

let alice: string;
let bob: string;

interface Page {
  items: Skill[];
  next_cursor: string | null;
}

async function page(query: Record<string, string>, key = alice): Promise<Page> {
  const answer = await call("GET", `${SKILLS}?${new URLSearchParams(query)}`, { key });
  expect(answer.status).toBe(200);
  return answer.json();
}
const names = async (query: Record<string, string>, key = alice) =>
  (await page(query, key)).items.map(({ metadata }) => metadata.name);

beforeAll(async () => {
  alice = await keyFor("alice", { groups: ["team"] });
  bob = await keyFor("bob");
});

beforeEach(clearRegistry);

describe("searching skills", () => {
  it("finds by name, description, tags, instructions and example prompts, the best first, as whole resources", async () => {
    await seedSkill({ name: "whale-watch", description: "Counts animals." });
    await seedSkill({ name: "census", description: "Counts a whale, too." });
    await seedSkill({ name: "ocean", description: "Looks.", body: "Look for a whale." });
    await seedSkill({ name: "boats", description: "Sails.", examples: ["Bring me to the whale"] });
    await seedSkill({ name: "land", description: "Stays dry." });
    const { items, next_cursor } = await page({ q: "whales" });
    expect(items.map(({ metadata }) => metadata.name).slice(0, 2)).toEqual(["whale-watch", "census"]);
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(["boats", "census", "ocean", "whale-watch"]);
    expect(items.find(({ metadata }) => metadata.name === "ocean")?.spec.prompt).toBe("Look for a whale.");
    expect(next_cursor).toBeNull();
  });

  it("finds an own skill before a group's before a public one of the same name, and none of other users", async () => {
    await seedSkill({ name: "one", scope: "public", description: "Public zebra." });
    await seedSkill({ name: "one", scope: "group:team", description: "Our zebra." });
    await seedSkill({ name: "two", scope: "group:team", description: "Our zebra." });
    await seedSkill({ name: "two", scope: "user:alice", description: "My zebra." });
    await seedSkill({ name: "three", scope: "user:bob", description: "Bob's zebra." });
    await seedSkill({ name: "four", scope: "group:others", description: "Their zebra." });
    const said = (found: Page) => found.items.map(({ spec }) => spec.description).toSorted();
    expect(said(await page({ q: "zebra" }))).toEqual(["My zebra.", "Our zebra."]);
    expect(said(await page({ q: "zebra" }, bob))).toEqual(["Bob's zebra.", "Public zebra."]);
    expect(said(await page({ q: "zebra", namespace: "team" }))).toEqual(["Our zebra.", "Our zebra."]);
    expect(said(await page({ q: "zebra", namespace: "default" }))).toEqual(["My zebra."]);
    const others = await call("GET", `${SKILLS}?q=zebra&namespace=others`, { key: alice });
    expect((await problemOf(others)).code).toBe("NAMESPACE_NOT_FOUND");
  });

  it("goes page by page without a gap, by cursor or by position", async () => {
    await Promise.all(Array.from({ length: 7 }, (_, n) => seedSkill({ name: `zebra-${n}`, description: "A zebra." })));
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const found: Page = await page({ q: "zebra", limit: "3", ...(cursor === "" ? {} : { cursor }) });
      seen.push(...found.items.map(({ metadata }) => metadata.name));
      cursor = found.next_cursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
    expect(await names({ q: "zebra", limit: "3", skip: "3" })).toEqual(seen.slice(3, 6));
    expect(await names({ q: "zebra", skip: "7" })).toEqual([]);
    const other = (await page({ limit: "3" }, await keyFor("pager"))).next_cursor;
    expect(other).toBeNull();
    const wrong = await call("GET", `${SKILLS}?q=zebra&cursor=e30`, { key: alice });
    expect((await problemOf(wrong)).issues?.[0]?.code).toBe("INVALID_CURSOR");
  });

  it("reads any text as words: the index's own syntax has no meaning", async () => {
    await seedSkill({ name: "zebra", scope: "user:bob", description: "Bob's zebra." });
    await seedSkill({ name: "yak", description: "A yak." });
    for (const q of [
      'scope:"user"',
      "{scope} : zebra",
      "zebra NOT yak",
      '") OR ("zebra',
      "yak AND NEAR(a b)",
      "*",
      "^yak",
      "-yak",
    ]) {
      const found = await names({ q });
      expect([q, found.filter((name) => name !== "yak")]).toEqual([q, []]);
    }
    expect(await names({ q: "yak NOT yak" })).toEqual(["yak"]);
  });

  it("treats an empty query as none, finds nothing without words, and reads the beginning of a long query", async () => {
    await seedSkill({ name: "mine", scope: "user:alice" });
    await seedSkill({ name: "yak", description: "A yak." });
    expect(await names({ q: " " })).toEqual(["mine"]);
    expect(await names({ q: "?! …" })).toEqual([]);
    expect(await names({ q: `yak ${"x".repeat(10_000)}` })).toEqual(["yak"]);
    expect(await names({ q: `${"x ".repeat(SEARCH_LIMITS.queryChars)}yak` })).toEqual([]);
  });

  it("goes with neither a name nor a count", async () => {
    const answer = await call("GET", `${SKILLS}?q=x&name=y&count=true&exact_match=true`, { key: alice });
    expect(answer.status).toBe(400);
    const { issues } = await problemOf(answer);
    expect(issues?.map(({ path }) => path)).toEqual(["query.name", "query.exact_match", "query.count"]);
  });

  it("reports a missing index, and lists still work", async () => {
    const made = await env.DB.prepare("SELECT sql FROM sqlite_master WHERE name = 'skill_search'").first<string>("sql");
    await seedSkill({ name: "mine", scope: "user:alice" });
    await env.DB.prepare("DROP TABLE skill_search").run();
    const answer = await call("GET", `${SKILLS}?q=mine`, { key: alice });
    expect([answer.status, (await problemOf(answer)).code]).toEqual([503, "SEARCH_INDEX_MISSING"]);
    expect(await names({})).toEqual(["mine"]);
    await env.DB.prepare(made!).run();
  });
});
