import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/storage/d1/database";
import { indexSkill, searchSkills } from "../../../src/storage/d1/search";

const db = openDatabase(env.DB, { storage: 0 });

async function add(
  id: string,
  scope: string,
  name: string,
  description: string,
  tags: string[] = [],
  displayName: string | null = null,
) {
  await env.DB.prepare(
    "INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens) VALUES (?, ?, ?, ?, 'default', 'u', 'v', 1)",
  )
    .bind(id, scope, name, name)
    .run();
  await db.batch(indexSkill(db, id, { scope, name, displayName, description, tags }));
}

const ALICE = ["user:alice", "public"];
const found = async (query: string, scopes = ALICE) => (await searchSkills(db, scopes, query, 10)).map((hit) => hit.id);

beforeAll(async () => {
  await add("mermaid", "public", "mermaid-diagram", "Draws flowcharts and other diagrams.", ["visual"]);
  await add("analysis", "public", "data-analysis", "数据分析：读取表格，画图。", [], "数据分析助手");
  await add("cafe", "public", "coffee", "Café guide");
  await add("mine", "user:alice", "notes", "Writes diagrams into notes.");
  await add("hidden", "public", "notes", "Unicorns live here.");
  await add("bobs", "user:bob", "bobs-diagrams", "Secret diagrams.");
  await add("team", "group:a b", "team-diagrams", "Team diagrams.");
});

describe("search", () => {
  it("finds words in any form, and beginnings of words", async () => {
    expect(await found("diagram")).toEqual(["mermaid", "mine"]);
    expect(await found("drawing a flowchart")).toEqual(["mermaid"]);
    expect(await found("merm")).toEqual(["mermaid"]);
    expect(await found("VISUAL")).toEqual(["mermaid"]);
    expect(await found("cafe")).toEqual(["cafe"]);
    expect(await found("nothing-like-it")).toEqual([]);
  });

  it("finds Chinese words of one, two and more characters", async () => {
    for (const query of ["图", "画图", "表格", "数据分析", "帮我做数据分析", "助手"])
      expect([query, await found(query)]).toEqual([query, ["analysis"]]);
    expect(await found("析数")).toEqual([]);
  });

  it("ranks a match in the name above one in the description", async () => {
    expect((await found("notes diagrams"))[0]).toBe("mine");
  });

  it("stays within the scopes, and never shows what one's own skill hides", async () => {
    expect((await found("diagrams", ["user:bob", "public"])).sort()).toEqual(["bobs", "mermaid"]);
    expect(await found("secret")).toEqual([]);
    expect(await found("team", ["group:a b"])).toEqual(["team"]);
    expect(await found("team", ["group:a"])).toEqual([]);
    expect(await found("unicorns")).toEqual([]);
    expect(await found("unicorns", ["public"])).toEqual(["hidden"]);
    expect(await found("diagram", [])).toEqual([]);
  });

  it("takes any text for a query", async () => {
    const hostile = [
      '"',
      "'",
      '" OR scope : "',
      "a AND",
      "NOT",
      "NEAR(",
      "x*",
      "^x",
      "{scope}: x",
      "scope:public",
      "\0",
      "\ud800",
      "-",
      "(",
      "𞤀",
      "a".repeat(100_000),
    ];
    for (const query of hostile) expect(Array.isArray(await found(query))).toBe(true);
    expect(await found("user:bob secret")).toEqual([]);
  });
});
