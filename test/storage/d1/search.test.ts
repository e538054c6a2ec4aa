import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { scopeToken } from "../../../src/domain/catalog/search";
import { SEARCH_LIMITS } from "../../../src/domain/limits";
import { openDatabase } from "../../../src/storage/d1/database";
import { indexSkill, searchOnTrial, searchSkills } from "../../../src/storage/d1/search";
import { expectLog } from "../../support/logs";

const db = openDatabase(env.DB, { storage: 0 });

async function add(
  id: string,
  scope: string,
  name: string,
  description: string,
  tags: string[] = [],
  displayName: string | null = null,
  more: { examples?: string[]; instructions?: string; whenToUse?: string } = {},
) {
  await env.DB.prepare(
    "INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens) VALUES (?, ?, ?, ?, 'default', 'u', 'v', 1)",
  )
    .bind(id, scope, name, name)
    .run();
  const text = {
    scope,
    name,
    displayName,
    description,
    tags,
    whenToUse: null,
    examples: [],
    instructions: "",
    ...more,
  };
  await db.batch(indexSkill(db, id, text));
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
  await add("turtle", "public", "turtle-care", "Keeps reptiles.", [], null, {
    whenToUse: "When an animal hibernates.",
    instructions: "# Feeding\n\nDandelions are best.",
    examples: ["My tortoise refuses its lettuce"],
  });
});

describe("searched texts", () => {
  it("is also when to use it, the instructions, and the example prompts", async () => {
    expect(await found("hibernates")).toEqual(["turtle"]);
    expect(await found("which dandelions")).toEqual(["turtle"]);
    expect(await found("tortoises")).toEqual(["turtle"]);
  });

  it("weighs the name most, and unlimited texts least", async () => {
    const word = (n: number) => Array.from({ length: n }, () => "lighthouse").join(" ");
    await add("in-body", "public", "aa", "Something.", [], null, { instructions: word(3) });
    await add("in-examples", "public", "bb", "Something.", [], null, {
      examples: Array.from({ length: 10 }, () => word(9)),
    });
    await add("in-description", "public", "cc", "About a lighthouse.");
    await add("in-name", "public", "lighthouse", "Something.");
    expect((await found("lighthouse")).slice(0, 2)).toEqual(["in-name", "in-description"]);
  });
});

describe("search", () => {
  it("finds words in any form, and beginnings of words", async () => {
    expect(await found("diagram")).toEqual(["mermaid", "mine"]);
    expect(await found("drawing a flowchart")).toEqual(["mermaid"]);
    expect(await found("merm")).toEqual(["mermaid"]);
    // A word that exists is not tried as a prefix.
    expect(await found("diagram flow")).toEqual(["mermaid", "mine"]);
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

  it("stays within the scopes, and never shows skills that an own one hides", async () => {
    expect((await found("diagrams", ["user:bob", "public"])).sort()).toEqual(["bobs", "mermaid"]);
    expect(await found("secret")).toEqual([]);
    expect(await found("team", ["group:a b"])).toEqual(["team"]);
    expect(await found("team", ["group:a"])).toEqual([]);
    expect(await found("unicorns")).toEqual([]);
    expect(await found("unicorns", ["public"])).toEqual(["hidden"]);
    expect(await found("diagram", [])).toEqual([]);
  });

  it("accepts any text as a query", async () => {
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

describe("a search that meets a word of everybody", () => {
  const skills = async (count: number, own: string[], scope: string) => {
    const rows = Array.from({ length: count }, (_, n) => ({ id: `${scope}-${n}`, text: `everywhere ${own[n] ?? ""}` }));
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens)
         SELECT value ->> 'id', ?2, value ->> 'id', value ->> 'id', 'default', 'u', 'v', 1 FROM json_each(?1)`,
      ).bind(JSON.stringify(rows), scope),
      env.DB.prepare(
        `INSERT INTO skill_search (rowid, scope, name, description, tags, examples, body)
         SELECT seq, ?2, '', 'everywhere', '', '', value ->> 'text' FROM json_each(?1) JOIN skills ON skills.id = value ->> 'id'`,
      ).bind(JSON.stringify(rows), scopeToken(scope)),
    ]);
  };

  it("ranks by the words that few have, and still answers where there are no others", async () => {
    await skills(SEARCH_LIMITS.rows + 100, ["needle", "needle haystack"], "user:many");
    expect((await found("everywhere needle haystack thread", ["user:many"])).slice(0, 2)).toEqual([
      "user:many-1",
      "user:many-0",
    ]);
    expect(await found("everywhere", ["user:many"])).toHaveLength(10);
    // A word that is common in other scopes ranks high for a user with one skill that contains it.
    await skills(1, ["needle"], "user:few");
    expect(await found("everywhere thread", ["user:few"])).toEqual(["user:few-0"]);
  });

  it("continues where it stopped", async () => {
    const pages = await Promise.all([0, 4, 8].map((skip) => searchSkills(db, ["user:many"], "everywhere", 4, skip)));
    const names = pages.flat().map((hit) => hit.name);
    expect(new Set(names).size).toBe(12);
  });
});

describe("a trial", () => {
  const rows = () => env.DB.prepare("SELECT count(*) AS n FROM skill_search").first<number>("n");
  const trial = {
    scope: "public",
    name: "kite",
    displayName: null,
    description: "Flies kites.",
    tags: [],
    whenToUse: null,
  };
  const how = { limit: 5, only: null };

  it("finds unpublished trials among published skills, and leaves nothing", async () => {
    const before = await rows();
    const texts = [
      { ...trial, examples: ["wind is good today"], instructions: "" },
      { ...trial, examples: [], instructions: "" },
    ];
    const found = await searchOnTrial(db, ALICE, texts, ["wind today", "kites or diagrams", "???"], how);
    expect(found[0]).toEqual([{ trial: 0, name: "kite" }]);
    expect(found[1]?.map((hit) => hit.name).sort()).toEqual(["kite", "kite", "mermaid-diagram", "notes"]);
    expect([found[2], await rows()]).toEqual([[], before]);
    expect(await searchSkills(db, ALICE, "kites", 5)).toEqual([]);
  });

  it("finds only itself under its own name, and only allowed skills of others", async () => {
    const texts = [{ ...trial, name: "notes", examples: [], instructions: "" }];
    const [named] = await searchOnTrial(db, ALICE, texts, ["notes diagrams"], how);
    expect(named?.map(({ trial: which, name }) => [which, name])).toEqual([
      [0, "notes"],
      [null, "mermaid-diagram"],
    ]);
    const [narrow] = await searchOnTrial(db, ["user:bob", "public"], texts, ["secret diagrams notes"], {
      limit: 5,
      only: ["x"],
    });
    expect(narrow).toEqual([{ trial: 0, name: "notes" }]);
  });

  it("leaves nothing when it fails", async () => {
    expectLog("storage_failed");
    const before = await rows();
    const texts = [{ ...trial, examples: [], instructions: "" }];
    await expect(searchOnTrial(db, ALICE, texts, ["kites"], { limit: 0.5, only: null })).rejects.toThrow();
    expect(await rows()).toBe(before);
  });
});
