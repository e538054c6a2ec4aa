// Row sizes: deployed, D1 and Durable Objects limit rows to 2 MB, which local runs do not enforce. Stored rows stay under 1 MB, and larger
// data is rejected with a clear error.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic, talk } from "../support/chat-turns";
import { objectOf } from "../support/clock";
import { form, skillZip } from "../support/skill";

const KiB = 1024;
const MB = 1_000_000;

/** Returns the largest row of a conversation's store. */
function largestRow(conversation: string, user: string): Promise<number> {
  return runInDurableObject(objectOf(conversation, user), (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray();
    const sizes = tables.flatMap(({ name }) =>
      storage.sql
        .exec(`SELECT * FROM ${name}`)
        .toArray()
        .map((row) => new TextEncoder().encode(JSON.stringify(Object.values(row).map(String).join(""))).byteLength),
    );
    return Math.max(...sizes);
  });
}

const heavy = (bytes: number) => ({
  a: { url: "https://mcp.example/", headers: { "x-pad": "x".repeat(8_000) }, pad: "p".repeat(bytes) },
});

it("a spec's servers may take 64 KiB, the whole spec 512 KiB, of a ghost and of a conversation", async () => {
  const key = await keyFor("spec-writer");
  const specs = [
    { spec: { mcpServers: heavy(64 * KiB) }, codes: ["MCP_SERVERS_TOO_LARGE spec.mcpServers"] },
    { spec: { systemPrompt: "界".repeat(175 * KiB) }, codes: ["SPEC_TOO_LARGE spec"] },
    // Too large only as JSON, where some characters take six bytes.
    { spec: { systemPrompt: "\u0001".repeat(100 * KiB) }, codes: ["SPEC_TOO_LARGE spec"] },
    { spec: { mcpServers: heavy(32 * KiB), systemPrompt: "界".repeat(128 * KiB) }, codes: [] },
  ];
  for (const [n, { spec, codes }] of specs.entries()) {
    const saved = call("POST", "/api/v1/kinds/ghosts", { key, json: { metadata: { name: `ghost ${n}` }, spec } });
    const talked = call("PUT", `/api/v1/conversations/spec-${n}`, { key, json: { spec } });
    const begun = call("POST", `/api/v1/conversations/spec-turn-${n}/turns`, { key, json: { conversation: { spec } } });
    for (const answer of [await saved, await talked, await begun]) {
      expect([answer.status, codes.length]).toEqual([
        codes.length > 0 ? 400 : expect.toSatisfy((s) => s < 300),
        codes.length,
      ]);
      if (codes.length === 0) continue;
      const { issues } = await answer.json<{ issues: { code: string; path: string }[] }>();
      expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual(codes);
    }
  }
  expect(await largestRow("spec-turn-3", "spec-writer")).toBeLessThan(MB);
  expect((await call("GET", "/api/v1/conversations/spec-turn-3/prompt", { key })).status).toBe(200);
});

it("256 skills of a group with long CJK descriptions are a member's catalog, in rows of less than 1 MB", async () => {
  const made = await call("POST", "/api/v1/groups", { json: { name: "long-words" } });
  expect(made.status).toBe(201);
  await call("PUT", "/api/v1/groups/long-words/members/reader", { json: { role: "Reporter" } });
  const id = (n: number) => `s${String(n).padStart(3, "0")}`;
  const owner = await keyFor("admin", { role: "admin" });
  await publishOwn(owner, { name: id(0), description: "技".repeat(4_000) }, "long-words");
  // Adds 255 more skills with SQL, because uploading them takes minutes.
  const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info('versions')").all<{ name: string }>();
  const rest = results.map(({ name }) => `v.${name}`).filter((name) => name !== "v.id" && name !== "v.skill_id");
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 255)";
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens)
       SELECT 'many-' || i, scope, printf('s%03d', i), printf('s%03d', i), namespace, user_id, 'ver-' || i, tokens
       FROM n, skills AS s WHERE s.name = 's000'`,
    ),
    env.DB.prepare(
      `${numbers} INSERT INTO versions (id, skill_id, ${rest.join(", ").replaceAll("v.", "")})
       SELECT 'ver-' || i, 'many-' || i, ${rest.join(", ")}
       FROM n, versions AS v JOIN skills AS s ON s.version_id = v.id WHERE s.name = 's000'`,
    ),
  ]);
  const member = await talk("reader");
  const step = await member.turn();
  expect(step.prompt.system).toContain("s000");
  expect(step.warnings).toEqual([]);
  const conversation = member.route.split("/").at(-1)!;
  expect(await largestRow(conversation, "reader")).toBeLessThan(MB);
  // The view is read again after the object is evicted, and written again after a change.
  const loaded = await member.load(id(255));
  expect(loaded.isError).not.toBe(true);
  await publishPublic({ name: "short-one", description: "Short." });
  const next = await member.turn();
  expect(next.active.map(({ skill }) => skill)).toEqual([id(255)]);
  expect(await largestRow(conversation, "reader")).toBeLessThan(MB);
});

it("what a package's warnings take is bounded", async () => {
  const key = await keyFor("warned");
  const frontmatter = `dependencies: [${Array.from({ length: 7_000 }, (_, n) => `"!${n}"`).join(",")}]`;
  const zip = skillZip({ name: "warned", frontmatter });
  const answer = await call("POST", "/api/v1/kinds/skills/upload", { key, body: form(zip) });
  expect(answer.status).toBe(201);
  const row = await env.DB.prepare(
    "SELECT octet_length(warnings) AS bytes, warnings FROM versions WHERE created_by = 'warned'",
  ).first<{ bytes: number; warnings: string }>();
  expect(row?.bytes).toBeLessThan(100 * KiB);
  expect(row?.warnings).toContain("WARNINGS_CUT");
});
