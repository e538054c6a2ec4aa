// Wegent's skill market: the requests of its front end, the shapes it reads, and errors in the form of its back end.

import { env } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";

const M = "/api/skill-market";
interface Found {
  total: number;
  page: number;
  pageSize: number;
  skills: { skillKey: string; name: string; downloadCount: number }[];
}

let key: string;
beforeAll(async () => {
  key = await keyFor("market-ada");
});
const get = async <T>(path: string, settings: Record<string, string> = {}) => {
  const answer = await askWith(settings, `${M}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: answer.status, body: await answer.json<T>() };
};
const keys = ({ body }: { body: Found }) => body.skills.map(({ skillKey }) => skillKey);

describe("the market", () => {
  it("is one provider, whose address is that of the catalog pages or of the console", async () => {
    const provider = { key: "gateway", name: "Skill Gateway" };
    expect(await get("/providers", { PUBLIC_CATALOG: "on" })).toEqual({
      status: 200,
      body: { providers: [{ ...provider, market_url: "https://gateway.test/skills" }] },
    });
    expect((await get("/available")).body).toEqual({
      ...{ available: true, market_name: "Skill Gateway", market_url: "https://gateway.test/console/skills" },
    });
    expect((await get("/providers", { CONSOLE: "off" })).body).toEqual({
      providers: [{ ...provider, market_url: null }],
    });
    expect((await get("/available", { SKILLS_ENABLED: "false" })).body).toEqual({
      ...{ available: false, market_name: null, market_url: null },
    });
  });

  it("finds public skills by keyword and tags, with every field that the front end reads", async () => {
    const frontmatter = "author: Ada\ndisplayName: Tide tables\ntags: [sea, maps]";
    const { id } = await publishPublic({
      name: "market-tides",
      description: "Predicts tides.",
      version: "1.2.0",
      frontmatter,
    });
    await publishPublic({ name: "market-clouds", description: "Names clouds.", frontmatter: "tags: [sky]" });
    await publishOwn(key, { name: "market-private", description: "Predicts tides, too." });
    const found = await get<Found>("/search?provider=gateway&keyword=tides&page=1&pageSize=20");
    expect(found.body).toEqual({
      ...{ total: 1, page: 1, pageSize: 20 },
      skills: [
        {
          ...{ skillKey: "market-tides", originalSkillKey: "market-tides", name: "Tide tables" },
          ...{ description: "Predicts tides.", author: "Ada", visibility: "public", tags: ["sea", "maps"] },
          ...{ version: "1.2.0", downloadCount: 0, createdAt: expect.stringMatching(/^\d{4}-.*Z$/) },
          ...{ hasDownloadPermission: true, permissionUrl: `https://gateway.test/console/skills/${id}` },
        },
      ],
    });
    expect(keys(await get<Found>("/search?tags=Sea,maps"))).toEqual(["market-tides"]);
    expect(keys(await get<Found>("/search?tags=sea,sky"))).toEqual([]);
    expect(keys(await get<Found>("/search?provider=&keyword=&tags="))).toEqual(
      expect.arrayContaining(["market-tides", "market-clouds"]),
    );
  });

  it("lists the best rated skills first, page by page", async () => {
    const names = ["market-a", "market-b", "market-c"];
    for (const name of names) {
      const { id } = await publishPublic({ name, frontmatter: "tags: [rated]" });
      const stars = { "market-a": 1, "market-b": 5, "market-c": 3 }[name];
      await env.DB.prepare(
        "INSERT INTO skill_ratings (skill_id, user_id, id, stars, version_id) VALUES (?1, 'market-x', 'rtg_' || ?1, ?2, '')",
      )
        .bind(id, stars)
        .run();
    }
    expect(keys(await get<Found>("/search?tags=rated"))).toEqual(["market-b", "market-c", "market-a"]);
    const second = await get<Found>("/search?tags=rated&page=2&pageSize=2");
    expect([second.body.total, keys(second)]).toEqual([3, ["market-a"]]);
    expect(keys(await get<Found>("/search?tags=rated&page=9&pageSize=2"))).toEqual([]);
  });

  it("downloads a skill as a ZIP that can be published again", async () => {
    await publishPublic({ name: "market-zip", files: { "ref/a.txt": "a" } });
    const answer = await call("GET", `${M}/download/market-zip?provider=gateway`, { key });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
    expect(answer.headers.get("content-disposition")).toContain('filename="market-zip.zip"');
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    expect(
      Object.keys(files)
        .map((path) => path.replace(/^market-zip\//, ""))
        .sort(),
    ).toEqual(["SKILL.md", "ref/a.txt"]);
  });
});

describe("refusals of the market", () => {
  it("have the form of Wegent's back end", async () => {
    expect(await get("/search?provider=github")).toEqual({
      status: 404,
      body: { detail: { error: "Skill market provider not found", details: { provider: "github" } } },
    });
    expect(await get("/search", { SKILLS_ENABLED: "false" })).toMatchObject({
      status: 503,
      body: { detail: { error: "Skill market not available" } },
    });
    for (const skillKey of ["market-none", "owner/skill"])
      expect(await get(`/download/${skillKey}`)).toMatchObject({
        status: 404,
        body: { detail: { error: "Skill not found" } },
      });
    const invalid = await get<{ detail: object[] }>("/search?page=0&pageSize=101");
    expect([invalid.status, invalid.body.detail]).toMatchObject([
      422,
      [
        { type: "greater_than_equal", loc: ["query", "page"], input: "0" },
        { type: "less_than_equal", loc: ["query", "pageSize"], input: "101" },
      ],
    ]);
    expect((await get("/search?page=abc")).status).toBe(422);
    const anonymous = await askWith({}, `${M}/search`);
    expect([anonymous.status, await anonymous.json()]).toMatchObject([401, { detail: { error: expect.any(String) } }]);
    const limited = await keyFor("market-limited", { scopes: ["ghosts"] });
    expect((await call("GET", `${M}/search`, { key: limited })).status).toBe(403);
  });
});
