// Preview of a ghost before it is saved. The matrix covers access.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn, publishPublic } from "../../support/chat-turns";
import { form, skillZip } from "../../support/skill";

const PREVIEW = "/api/v1/kinds/ghosts/preview";

interface Preview {
  valid: boolean;
  issues: { code: string; path?: string }[];
  warnings: { code: string }[];
  prompt: string;
  tokens: { system_prompt: number; list: number; preloaded: number; prompt: number; static: number };
  skills: {
    name: string;
    scope: string;
    version: string;
    preloaded: boolean;
    needs: string[];
    tools: string[];
    servers: string[];
  }[];
  more: number;
  servers: { name: string; host: string | null; secrets: string[] }[];
  collisions: { kind: string; name: string; of: string[] }[];
}

let ann: string;

async function preview(json: object, key = ann): Promise<Preview> {
  const answer = await call("POST", PREVIEW, { key, json });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text) as Preview;
}

beforeAll(async () => {
  ann = await keyFor("preview-ann");
  await publishPublic({ name: "helper", version: "1.0.0", body: "HELPER WORDS" });
  await publishPublic({
    name: "drawing",
    version: "1.2.0",
    body: "DRAW LIKE THIS",
    frontmatter: 'dependencies: ["helper@^1"]',
  });
  await publishOwn(ann, { name: "private-words", body: "PRIVATE WORDS" });
});

describe("the preview of a ghost", () => {
  it("has the prompt that its first turn has, and stores nothing", async () => {
    const spec = { systemPrompt: "You draw.", skills: ["drawing@>=1", "helper"], preload_skills: ["drawing"] };
    const found = await preview({ spec });
    expect(found).toMatchObject({ valid: true, issues: [], more: 0, servers: [], collisions: [] });
    expect(
      found.skills.map(({ name, scope, version, preloaded, needs }) => [name, scope, version, preloaded, needs]),
    ).toEqual([
      ["drawing", "public", "1.2.0", true, ["helper"]],
      ["helper", "public", "1.0.0", true, []],
    ]);
    // A dependency is available only if the ghost lists it as well.
    const alone = await preview({ spec: { skills: ["drawing"], preload_skills: ["drawing"] } });
    expect(alone.skills.map(({ name, needs }) => [name, needs])).toEqual([["drawing", ["helper"]]]);
    expect(alone.warnings.map(({ code }) => code)).toEqual(["DEPENDENCY_MISSING"]);
    const counts = async () =>
      (await env.DB.prepare(
        "SELECT (SELECT count(*) FROM ghosts) + (SELECT count(*) FROM conversations) AS n",
      ).first())!.n;
    const before = await counts();
    await preview({ spec });
    expect(await counts()).toBe(before);

    const made = await call("POST", "/api/v1/kinds/ghosts", { key: ann, json: { metadata: { name: "drawer" }, spec } });
    expect(made.status).toBe(201);
    const turn = await call("POST", "/api/v1/conversations/previewed/turns", {
      key: ann,
      json: { conversation: { ghost: "drawer", delivery: "system" } },
    });
    const { prompt } = await turn.json<{ prompt: { system: string } }>();
    expect(found.prompt).toBe(prompt.system);
    expect(found.prompt).toContain("DRAW LIKE THIS");
    const { tokens } = found;
    expect(tokens.system_prompt).toBe(3);
    expect(tokens.prompt).toBeGreaterThanOrEqual(tokens.system_prompt + tokens.preloaded);
    expect(tokens.static).toBe(tokens.preloaded);
  });

  it("reports everything that saving would reject", async () => {
    const spec = { skills: ["nowhere", "helper@>=9", "bad name@"], preload_skills: ["drawing"] };
    const found = await preview({ spec });
    expect(found.valid).toBe(false);
    const saved = await call("POST", "/api/v1/kinds/ghosts", { key: ann, json: { metadata: { name: "bad" }, spec } });
    expect(saved.status).toBe(400);
    const { issues } = await saved.json<Pick<Preview, "issues">>();
    expect(found.issues).toEqual(issues);
    expect(issues.length).toBeGreaterThan(2);
    // Without skills a stored ghost has none.
    expect((await preview({ spec: { systemPrompt: "Words." } })).skills).toEqual([]);
    expect((await preview({ spec: { skills: ["*"] } })).skills.map(({ name }) => name)).toContain("private-words");
  });

  it("names servers, secrets and names that meet, and reads no secret", async () => {
    const secret = { value: "planted-preview-value", hosts: ["mcp.example.com"] };
    expect((await call("PUT", "/api/v1/secrets/PREVIEW_KEY", { key: ann, json: secret })).status).toBe(201);
    const server = { url: "https://mcp.example.com/", headers: { authorization: `Bearer \${{secrets.PREVIEW_KEY}}` } };
    const frontmatter =
      'mcpServers: {weather: {url: "https://other.example.com/"}}\ntools: [load_skill, draw]\nprovider: {module: p, class: P}';
    const files = { "p.js": "export class P {}" };
    for (const name of ["meets-a", "meets-b"])
      expect(
        (await call("POST", "/api/v1/kinds/skills/public", { body: form(skillZip({ name, frontmatter, files })) }))
          .status,
      ).toBe(201);
    const found = await preview({ spec: { skills: ["meets-a", "meets-b"], mcpServers: { weather: server } } });
    expect(found.servers).toMatchObject([{ name: "weather", host: "mcp.example.com", secrets: ["PREVIEW_KEY"] }]);
    expect(found.collisions).toEqual([
      { kind: "tool", name: "load_skill", of: ["builtin", "skill:meets-a", "skill:meets-b"] },
      { kind: "tool", name: "draw", of: ["skill:meets-a", "skill:meets-b"] },
      { kind: "server", name: "weather", of: ["ghost", "skill:meets-a", "skill:meets-b"] },
    ]);
    expect(found.skills.map(({ name, tools, servers }) => [name, tools, servers])).toEqual([
      ["meets-a", ["load_skill", "draw"], ["weather"]],
      ["meets-b", ["load_skill", "draw"], ["weather"]],
    ]);
    expect(JSON.stringify(found)).not.toContain("planted-preview-value");
    const row = await env.DB.prepare("SELECT last_used_at FROM secrets WHERE name = 'PREVIEW_KEY'").first();
    expect(row).toEqual({ last_used_at: null });
  });

  it("of a shared ghost is the same for everybody: its author's own skills never stand in", async () => {
    expect((await call("POST", "/api/v1/groups", { json: { name: "preview-team" } })).status).toBe(201);
    const role = { role: "Maintainer" };
    await call("PUT", "/api/v1/groups/preview-team/members/preview-ann", { json: role });
    await call("PUT", "/api/v1/groups/preview-team/members/preview-bob", { json: { role: "Developer" } });
    // A skill of her own that is called like a public one.
    await publishOwn(ann, { name: "helper", version: "7.0.0", body: "HER OWN HELPER" });
    const spec = { skills: ["*"], preload_skills: ["helper"] };
    const shared = await preview({ spec, namespace: "preview-team" });
    expect(shared.prompt).toContain("HELPER WORDS");
    expect(JSON.stringify(shared)).not.toMatch(/HER OWN HELPER|private-words/);
    expect((await preview({ spec })).prompt).toContain("HER OWN HELPER");
    const named = await preview({ spec: { skills: ["private-words"] }, namespace: "preview-team" });
    expect(named.issues.map(({ code }) => code)).toEqual(["SKILL_NOT_SHARED"]);
    expect(named.skills).toEqual([]);

    const bob = await keyFor("preview-bob");
    const status = async (namespace: string, key: string) =>
      (await call("POST", PREVIEW, { key, json: { spec, namespace } })).status;
    expect([await status("preview-team", bob), await status("public", bob), await status("nowhere", bob)]).toEqual([
      403, 403, 404,
    ]);
  });
});
