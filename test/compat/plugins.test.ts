// Plugins: marketplaces, their archives, and Agent Plugins in and out.

import { env } from "cloudflare:workers";
import { strFromU8, unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { publicSigningKeySchema } from "../../src/domain/attestation/statement";
import { verifyVersion } from "../../src/domain/attestation/verify";
import { sha256Hex } from "../../src/domain/digest";
import { readPackage } from "../../src/domain/package/package";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";
import { zip } from "../support/skill";

const MARKET = "/.claude-plugin/marketplace.json";
interface Market {
  name: string;
  owner: { name: string };
  plugins: {
    name: string;
    description: string;
    version: string;
    author?: { name: string };
    attestation: string;
    source: { source: string; url: string; sha256: string };
  }[];
}
interface Report {
  plugin: { name: string; version: string };
  skills: { name: string; version: string }[];
  servers: string[];
  left_out: { skill: string; server: string; reason: string }[];
}
interface Taken {
  plugin: { name: string; version: string | null };
  skills: { name: string; status: string; id: string; code: string; message: string }[];
  servers: string[];
  warnings: { code: string }[];
}

const get = (path: string, key: string | null = null) => call("GET", path, { key });
async function market(place: string, key: string | null = null): Promise<Market> {
  const answer = await get(`${place}${MARKET}`, key);
  expect(answer.status).toBe(200);
  return answer.json<Market>();
}
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());
const json = (files: Record<string, Uint8Array>, path: string) => JSON.parse(strFromU8(files[path]!)) as unknown;
const pathOf = (url: string) => url.replace("https://gateway.test", "");

let ada: string;
beforeAll(async () => {
  ada = await keyFor("plugins-ada");
});

describe("a marketplace", () => {
  it("has every skill as a plugin, whose archive is as clients of both kinds unpack one", async () => {
    const files = { "scripts/run.sh": "echo hi\n".repeat(100) };
    await publishOwn(ada, { name: "labelled", version: "1.2.3", frontmatter: "author: Ada", files });
    await publishOwn(ada, { name: "numbered", version: "June", description: "Numbered." });
    await publishOwn(ada, { name: "Über_Skill" });
    const found = await market("/s/own", ada);
    expect(found).toMatchObject({ name: "own-gateway-test", owner: { name: "Skill Gateway at gateway.test" } });
    expect(found.plugins).toEqual([
      {
        ...{ name: "labelled", description: expect.any(String), version: "1.2.3", author: { name: "Ada" } },
        attestation: found.plugins[0]!.source.url.replace(".zip", ".json"),
        source: {
          ...{ source: "archive", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
          url: `https://gateway.test/s/own/.claude-plugin/-/labelled/${found.plugins[0]!.source.sha256}.zip`,
        },
      },
      expect.objectContaining({ name: "numbered", description: "Numbered.", version: "0.0.1" }),
    ]);
    const { url, sha256 } = found.plugins[0]!.source;
    const answer = await get(pathOf(url), ada);
    expect([answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      ...["application/zip", "private, no-store"],
    ]);
    const bytes = await bytesOf(answer);
    expect(await sha256Hex(bytes)).toBe(sha256);
    const unpacked = unzipSync(bytes);
    expect(Object.keys(unpacked)).toEqual([
      ...[".claude-plugin/plugin.json", "plugin.json"],
      ...["skills/labelled/SKILL.md", "skills/labelled/scripts/run.sh"],
    ]);
    const facts = { name: "labelled", version: "1.2.3", author: { name: "Ada" } };
    expect(json(unpacked, ".claude-plugin/plugin.json")).toMatchObject(facts);
    expect(json(unpacked, "plugin.json")).toMatchObject({
      ...{ ...facts, $schema: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json" },
    });
    expect(strFromU8(unpacked["skills/labelled/scripts/run.sh"]!)).toBe(files["scripts/run.sh"]);
    // Created once: every request returns the same bytes.
    expect(await market("/s/own", ada)).toEqual(found);
  });

  it("names the signed statement about each version, for those who can read it", async () => {
    const { id } = await publishPublic({ name: "plugin-signed", files: { "notes.md": "# Notes\n" } });
    await call("PUT", `/api/v1/open-skills/${id}`);
    const { plugins } = await market("/s/public");
    const { attestation, source } = plugins.find(({ name }) => name === "plugin-signed")!;
    const unpacked = unzipSync(await bytesOf(await get(pathOf(source.url))));
    const own = Object.entries(unpacked).filter(([path]) => path.startsWith("skills/"));
    const { package: found } = await readPackage(
      zip(Object.fromEntries(own.map(([path, bytes]) => [path.replace("skills/", ""), bytes]))),
      { fileName: "plugin-signed.zip" },
    );
    const keySet = await (await get("/.well-known/jwks.json")).json<{ keys: unknown[] }>();
    const keys = keySet.keys.map((key) => publicSigningKeySchema.parse(key));
    const expected = { zipSha256: found!.zipSha256, name: "plugin-signed", skillId: id };
    expect(await verifyVersion(await (await get(pathOf(attestation))).json(), keys, expected)).toHaveProperty(
      "statement",
    );
    expect((await get(pathOf(attestation).replace("plugin-signed", "plugin-closed"))).status).toBe(404);
    await call("DELETE", `/api/v1/open-skills/${id}`);
    expect((await get(pathOf(attestation))).status).toBe(404);
  });

  it("shows what is open to everybody, and by a link what the link reads", async () => {
    const shared = await publishPublic({ name: "plugin-open" });
    await publishPublic({ name: "plugin-closed" });
    expect((await market("/s/public")).plugins).toEqual([]);
    await call("PUT", `/api/v1/open-skills/${shared.id}`);
    const open = await market("/s/public");
    expect(open.plugins.map(({ name }) => name)).toEqual(["plugin-open"]);
    const archive = await get(pathOf(open.plugins[0]!.source.url));
    expect([archive.status, archive.headers.get("cache-control")]).toEqual([
      ...[200, "public, max-age=31536000, immutable"],
    ]);
    await archive.body?.cancel();
    const link = await call("POST", "/api/v1/links", { key: ada, json: {} });
    const { url } = await link.json<{ url: string }>();
    const place = pathOf(url).replace(/\/$/, "");
    const linked = await market(place);
    expect(linked.plugins.map(({ name }) => name)).toContain("labelled");
    expect(linked.plugins[0]!.source.url).toContain(place);
    expect(linked.name).toMatch(/^link-[0-9a-z]+-gateway-test$/);
    expect((await get(pathOf(linked.plugins[0]!.source.url))).status).toBe(200);
  });

  it("is not found by callers who cannot see the base URL, and no digest opens another's archive", async () => {
    const bob = await keyFor("plugins-bob");
    const [plugin] = (await market("/s/own", ada)).plugins;
    const archive = pathOf(plugin!.source.url);
    for (const [path, key] of [
      [`/s/own${MARKET}`, null],
      [`/s/group/plugins-none${MARKET}`, bob],
      [`/s/group/own%2F..${MARKET}`, bob],
      [`/t/sgl_none${MARKET}`, null],
      [archive, bob],
      [archive, null],
      [archive.replace("/s/own", "/s/public"), ada],
      [archive.replace("labelled", "numbered"), ada],
      [archive.replace(".zip", ""), ada],
      [archive.replace(/[0-9a-f]{64}/, "0".repeat(64)), ada],
      ["/s/own/agent-plugin.zip", null],
      ["/s/own/agent-plugin.json", null],
    ] as const)
      expect([path, (await get(path, key)).status]).toEqual([path, 404]);
    const reader = await keyFor("plugins-ada", { scopes: ["conversations"] });
    expect((await get(`/s/own${MARKET}`, reader)).status).toBe(403);
  });

  it("counts its archives in the quota of packages, and leaves none behind", async () => {
    const hal = await keyFor("plugins-hal");
    const { id, version_id } = await publishOwn(hal, { name: "counted" });
    const used = async () => {
      const me = await (await get("/api/v1/me", hal)).json<{ quotas: { bytes: { used: number } } }>();
      return me.quotas.bytes.used;
    };
    const before = await used();
    await market("/s/own", hal);
    const key = `packages/${version_id}.plugin.zip`;
    const stored = await env.PACKAGES.head(key);
    expect((await used()) - before).toBe(stored?.size);
    expect((await call("DELETE", `/api/v1/kinds/skills/${id}`, { key: hal })).status).toBe(204);
    expect([await env.PACKAGES.head(key), await used()]).toEqual([null, 0]);
  });

  it("gives no archive of a skill that another of its name hides", async () => {
    const gus = await keyFor("plugins-gus");
    const shared = await publishPublic({ name: "hidden", body: "For everybody." });
    await call("PUT", `/api/v1/open-skills/${shared.id}`);
    const known = (await market("/s/public")).plugins.find(({ name }) => name === "hidden");
    const own = await publishOwn(gus, { name: "hidden", body: "Mine." });
    const made = await call("POST", "/api/v1/links", { key: gus, json: { skills: [own.id, shared.id] } });
    const place = new URL((await made.json<{ url: string }>()).url).pathname;
    const [shown] = (await market(place)).plugins;
    const at = (sha256: string) => `${place}/.claude-plugin/-/hidden/${sha256}.zip`;
    expect((await get(at(shown!.source.sha256))).status).toBe(200);
    expect((await get(at(known!.source.sha256))).status).toBe(404);
  });

  it("returns the newest version, keeps older archives, and removes yanked ones", async () => {
    const cy = await keyFor("plugins-cy");
    const { id, version_id } = await publishOwn(cy, { name: "moving" });
    const [first] = (await market("/s/own", cy)).plugins;
    await publishOwn(cy, { name: "moving", body: "New." });
    const [second] = (await market("/s/own", cy)).plugins;
    expect([first!.version, second!.version, first!.source.sha256 === second!.source.sha256]).toEqual([
      ...["0.0.1", "0.0.2", false],
    ]);
    expect((await get(pathOf(first!.source.url), cy)).status).toBe(200);
    await call("POST", `/api/v1/kinds/skills/${id}/versions/${version_id}/yank`, { key: cy });
    expect((await get(pathOf(first!.source.url), cy)).status).toBe(404);
  });
});

const SERVERS = [
  "mcpServers:",
  "  weather:",
  "    type: http",
  "    url: https://weather.example/mcp",
  "    headers: { X-Tenant: public }",
  "  secret:",
  "    url: https://secret.example/mcp",
  `    headers: { Authorization: 'Bearer \${{secrets.TOKEN}}' }`,
  "  local:",
  "    command: run-me",
].join("\n");

describe("an Agent Plugin of a place", () => {
  it("has its skills, and only servers without secrets; the report names the others", async () => {
    const dee = await keyFor("plugins-dee");
    await publishOwn(dee, { name: "served", frontmatter: SERVERS });
    await publishOwn(dee, { name: "plain" });
    const report = await (await get("/s/own/agent-plugin.json", dee)).json<Report>();
    expect(report).toMatchObject({
      plugin: { name: "own-gateway-test", version: expect.stringMatching(/^0\.0\.0-g[0-9a-f]{12}$/) },
      ...{ skills: [{ name: "plain" }, { name: "served" }], servers: ["weather"] },
    });
    expect(report.left_out).toEqual([
      { skill: "served", server: "secret", reason: expect.stringContaining("secrets") },
      { skill: "served", server: "local", reason: expect.stringContaining("remote") },
    ]);
    const answer = await get("/s/own/agent-plugin.zip", dee);
    const unpacked = unzipSync(await bytesOf(answer));
    expect(Object.keys(unpacked)).toEqual([
      ...["mcp.json", "plugin.json", "skills/plain/SKILL.md", "skills/served/SKILL.md"],
    ]);
    expect(json(unpacked, "plugin.json")).toMatchObject(report.plugin);
    expect(json(unpacked, "mcp.json")).toEqual({
      $schema: "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
      mcpServers: {
        weather: { type: "streamable-http", url: "https://weather.example/mcp", headers: { "X-Tenant": "public" } },
      },
    });
    const some = await (await get("/s/own/agent-plugin.json?skills=plain", dee)).json<Report>();
    expect([some.skills.map(({ name }) => name), some.servers]).toEqual([["plain"], []]);
    expect(some.plugin.version).not.toBe(report.plugin.version);
    expect((await get("/s/own/agent-plugin.zip?skills=plain,labelled", dee)).status).toBe(400);
  });
});

const SCHEMA = "https://agent-plugins.org/schemas/1.0.0";
const skillMd = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n\nDo.\n`;
const plugin = (files: Record<string, string>, manifest: object = {}) =>
  zip({
    "plugin.json": JSON.stringify({ $schema: `${SCHEMA}/plugin.schema.json`, name: "acme.tools", ...manifest }),
    ...files,
  });
const take = async (bytes: Uint8Array<ArrayBuffer>, key: string | null, place = "/s/own") => {
  const body = new FormData();
  body.append("files[]", new File([bytes], "plugin.zip"));
  return call("POST", `${place}/agent-plugin`, { key, body });
};

describe("an Agent Plugin that is brought", () => {
  it("becomes its skills, with its remote servers next to each; an invalid skill does not stop the others", async () => {
    const eve = await keyFor("plugins-eve");
    const mcp = {
      $schema: `${SCHEMA}/mcp.schema.json`,
      mcpServers: {
        api: { type: "streamable-http", url: "https://api.example/mcp" },
        program: { type: "stdio", command: "./bin/x" },
        extra: { type: "sse", url: "https://x.example", timeout: 5 },
        plain: { type: "sse", url: "http://x.example" },
        filled: { type: "sse", url: "https://x.example", headers: { a: ["$", "{{secrets.A}}"].join("") } },
      },
    };
    const answer = await take(
      plugin(
        {
          "mcp.json": JSON.stringify(mcp),
          "skills/one/SKILL.md": skillMd("one"),
          "skills/one/notes/a.md": "A",
          "skills/two/SKILL.md": "no frontmatter",
          "skills/deep/er/SKILL.md": skillMd("er"),
          "skills/odd/SKILL.md/x": skillMd("odd"),
          "com.example.client/hooks.json": "{}",
        },
        { version: "1.0.0", surprising: true },
      ),
      eve,
    );
    const taken = await answer.json<Taken>();
    expect(answer.status).toBe(200);
    expect(taken).toMatchObject({ plugin: { name: "acme.tools", version: "1.0.0" }, servers: ["api"] });
    expect(taken.skills).toMatchObject([
      { name: "one", status: "published", id: expect.stringMatching(/^skl_/) },
      { name: "two", status: "refused", code: "PACKAGE_INVALID" },
    ]);
    expect(taken.warnings.map(({ code }) => code).toSorted()).toEqual([
      ...["MCP_ENTRY_INVALID", "MCP_ENTRY_INVALID", "MCP_ENTRY_INVALID", "MCP_STDIO", "UNKNOWN_FIELD"],
    ]);
    const route = `/api/v1/kinds/skills/${taken.skills[0]!.id}`;
    const shown = await (await get(route, eve)).json<{ spec: { mcpServers: object } }>();
    expect(shown.spec.mcpServers).toEqual({ api: mcp.mcpServers.api });
    // Next to the files, which are unchanged.
    expect(await (await get(`${route}/files/SKILL.md`, eve)).text()).toBe(skillMd("one"));
  });

  it("comes back as it went, from one scope to another", async () => {
    const out = await bytesOf(await get("/s/own/agent-plugin.zip", await keyFor("plugins-dee")));
    const fay = await keyFor("plugins-fay");
    const taken = await (await take(new Uint8Array(out), fay)).json<Taken>();
    expect(taken.skills).toMatchObject([
      { name: "plain", status: "published" },
      { name: "served", status: "published" },
    ]);
    const again = await (await take(new Uint8Array(out), fay)).json<Taken>();
    expect(again.skills.map(({ status }) => status)).toEqual(["unchanged", "unchanged"]);
  });

  it("is refused with all that is wrong with its manifest", async () => {
    const answer = await take(
      plugin(
        { "skills/x/SKILL.md": skillMd("x") },
        { $schema: "other", name: "Bad--Name", version: 1, author: { age: 1 } },
      ),
      ada,
    );
    const refused = await answer.json<{ code: string; issues: { message: string }[] }>();
    expect([answer.status, refused.code, refused.issues.length]).toEqual([422, "PLUGIN_INVALID", 4]);
    for (const [bytes, code] of [
      [zip({ "skills/x/SKILL.md": skillMd("x") }), "PLUGIN_MISSING"],
      [plugin({ "README.md": "x" }), "NO_SKILLS"],
      [plugin({ "../x": "x" }), "PATH_DOT_SEGMENT"],
      [new Uint8Array([80, 75, 1, 2]), "ZIP_NO_DIRECTORY"],
    ] as const) {
      const body = await (await take(bytes, ada)).json<{ issues: { code: string }[] }>();
      expect([code, body.issues.map((issue) => issue.code).length > 0]).toEqual([code, true]);
      if (code !== "ZIP_NO_DIRECTORY") expect(body.issues.map((issue) => issue.code)).toContain(code);
    }
  });

  it("can be published by users with the right, and not without a key", async () => {
    const bytes = plugin({ "skills/x/SKILL.md": skillMd("x") });
    expect((await take(bytes, null)).status).toBe(401);
    expect((await take(bytes, await keyFor("plugins-ada", { scopes: ["skills:read"] }))).status).toBe(403);
    await call("POST", "/api/v1/groups", { json: { name: "plugins-crew" } });
    for (const [user, role] of [
      ["plugins-dev", "Developer"],
      ["plugins-rep", "Reporter"],
    ])
      await call("PUT", `/api/v1/groups/plugins-crew/members/${user}`, { json: { role } });
    const place = "/s/group/plugins-crew";
    expect((await take(bytes, await keyFor("plugins-rep"), place)).status).toBe(403);
    expect((await take(bytes, ada, place)).status).toBe(404);
    expect((await take(bytes, await keyFor("plugins-dev"), place)).status).toBe(200);
    expect((await market(place, await keyFor("plugins-rep"))).plugins).toMatchObject([{ name: "x" }]);
    expect((await take(bytes, ada, "/s/public")).status).toBe(404);
    // Only a user's own plugins can contain a literal credential.
    const mcpServers = {
      a: { type: "sse", url: "https://a.example", headers: { Authorization: "Bearer abcdef123456" } },
    };
    const secret = { "mcp.json": JSON.stringify({ $schema: `${SCHEMA}/mcp.schema.json`, mcpServers }) };
    const refused = await take(
      plugin({ ...secret, "skills/y/SKILL.md": skillMd("y") }),
      await keyFor("plugins-dev"),
      place,
    );
    expect((await refused.json<Taken>()).skills).toMatchObject([{ status: "refused", code: "CREDENTIAL_LITERAL" }]);
  });
});
