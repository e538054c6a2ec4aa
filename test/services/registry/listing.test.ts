// SKILLS_ENABLED and SKILLS_ALLOWED, which the pool's own settings do not restrict.

import { beforeAll, describe, expect, it } from "vitest";
import { PUBLIC_SCOPE, userScope } from "../../../src/domain/access/access";
import { invokeSkill } from "../../../src/services/registry/by-name";
import { readContents, readSkills, readUnified } from "../../../src/services/registry/listing";
import { publish } from "../../../src/services/registry/publish";
import { contextOf } from "../../support/context";
import { type SkillFixture, skillZip } from "../../support/skill";

const ALL = { exact_match: false, count: false };

async function add(scope: string, userId: string, skill: SkillFixture, settings: Record<string, string> = {}) {
  const target = { scope, namespace: "default", userId };
  const request = { upload: skillZip(skill), fileName: undefined, name: undefined, target, idempotencyKey: null };
  return publish(contextOf(userId, { settings }), request);
}

beforeAll(async () => {
  for (const version of ["1.0.0", "1.5.0", "2.0.0"]) {
    await add(PUBLIC_SCOPE, "0", { name: "ranged", version, body: version });
  }
  await add(PUBLIC_SCOPE, "0", { name: "other" });
  await add(PUBLIC_SCOPE, "0", { name: "unlabelled", body: "plain" });
  await add(userScope("eve"), "eve", { name: "ranged", version: "9.0.0", body: "own" });
});

describe("the allow-list", () => {
  const unified = async (allowed: string, userId = "mallory") => {
    const context = contextOf(userId, { settings: { SKILLS_ALLOWED: allowed } });
    return (await readUnified(context, "all", undefined, {})).skills.map((skill) => `${skill.name} ${skill.label}`);
  };
  const invoked = (allowed: string, name: string, userId = "mallory") =>
    invokeSkill(contextOf(userId, { settings: { SKILLS_ALLOWED: allowed } }), name);

  it("allows listed skills, at the newest version that satisfies the range", async () => {
    expect(await unified("")).toEqual(["other null", "ranged 2.0.0", "unlabelled null"]);
    expect(await unified("ranged")).toEqual(["ranged 2.0.0"]);
    expect(await unified("ranged@^1, unlabelled")).toEqual(["ranged 1.5.0", "unlabelled null"]);
    expect(await unified("ranged@>=3, unlabelled@>=1, missing")).toEqual([]);
    expect(await unified("ranged@^1", "eve")).toEqual(["ranged 1.5.0"]);
    expect(await unified("ranged", "eve")).toEqual(["ranged 9.0.0"]);
    expect(await invoked("ranged@^1", "ranged")).toBe("1.5.0");
    await expect(invoked("other", "ranged")).rejects.toMatchObject({ reason: "SKILL_NOT_FOUND" });
  });

  it("holds for searches, which find the version that it lets through", async () => {
    const found = async (allowed: string, q: string) => {
      const context = contextOf("mallory", { settings: { SKILLS_ALLOWED: allowed } });
      const { records } = await readSkills(context, { q, exact_match: false, count: false, limit: 1, skip: 0 });
      return records.map((skill) => `${skill.name} ${skill.label}`);
    };
    expect(await found("", "ranged")).toEqual(["ranged 2.0.0"]);
    expect(await found("ranged@^1", "ranged")).toEqual(["ranged 1.5.0"]);
    expect(await found("other", "ranged")).toEqual([]);
  });

  it("is paged like the whole list", async () => {
    const context = contextOf("mallory", { settings: { SKILLS_ALLOWED: "other,ranged,unlabelled" } });
    const first = await readUnified(context, "public", undefined, { limit: 2 });
    expect(first.skills.map((skill) => skill.name)).toEqual(["other", "ranged"]);
    const second = await readUnified(context, "public", undefined, { limit: 2, cursor: first.nextCursor! });
    expect([second.skills.map((skill) => skill.name), second.nextCursor]).toEqual([["unlabelled"], null]);
  });
});

describe("the kill switch", () => {
  it("empties lists and refuses to invoke, but lets people publish", async () => {
    const settings = { SKILLS_ENABLED: "false" };
    const context = contextOf("eve", { settings });
    expect((await readUnified(context, "all", undefined, {})).skills).toEqual([]);
    expect(await readSkills(context, { ...ALL, count: true })).toEqual({ records: [], nextCursor: null, total: 0 });
    expect((await readSkills(context, { ...ALL, name: "ranged" })).records).toEqual([]);
    await expect(invokeSkill(context, "ranged")).rejects.toThrow("skills are not enabled");
    expect((await add(userScope("eve"), "eve", { name: "late" }, settings)).status).toBe(201);
  });
});

describe("pages", () => {
  it("end early if the instructions are large, and continue from there", async () => {
    const body = "x ".repeat(127 * 1024);
    const names = Array.from({ length: 20 }, (_, index) => `large-${String(index).padStart(2, "0")}`);
    for (const name of names) await add(userScope("large"), "large", { name, body });
    const context = contextOf("large");
    const first = await readSkills(context, ALL);
    expect(first.records.length).toBeLessThan(names.length);
    const second = await readSkills(context, { ...ALL, cursor: first.nextCursor! });
    expect([...first.records, ...second.records].map((record) => record.name)).toEqual(names);
    expect(second.nextCursor).toBeNull();
  });

  it("order names beyond the basic plane as the database does", async () => {
    const names = ["ｚ", "𠮷", "a"];
    for (const name of names) await add(userScope("order"), "order", { name });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await readUnified(contextOf("order"), "personal", undefined, {
        limit: 1,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.skills.map((skill) => skill.name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.filter((name) => names.includes(name))).toEqual(["a", "ｚ", "𠮷"]);
  });
});

it("reports what each skill contains", async () => {
  const frontmatter = "network: [api.example.com]\nmcpServers:\n  maps: { url: https://maps.example.com/mcp }";
  const files = { "scripts/main.js": "console.log(1);" };
  await add(userScope("ivy"), "ivy", { name: "full", frontmatter, files });
  await add(userScope("ivy"), "ivy", { name: "plain" });
  const context = contextOf("ivy", { settings: { SKILLS_ALLOWED: "full,plain" } });
  const { skills } = await readUnified(context, "all", undefined, {});
  const contents = await readContents(context, skills);
  expect(skills.map(({ name, versionId }) => [name, contents.get(versionId)])).toEqual([
    ["full", ["scripts", "servers", "network"]],
    ["plain", []],
  ]);
});
