// The permissions of skill versions, as the API returns them. The matrix covers access.

import { expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn } from "../../support/chat-turns";
import { form, skillZip } from "../../support/skill";

const SKILLS = "/api/v1/kinds/skills";

interface Answer {
  version_id: string;
  version: string;
  permissions: Record<string, unknown>;
  changes: { version_id: string; version: string; added: unknown[]; removed: unknown[] } | null;
}

const server = (host: string) => `mcpServers: {w: {url: "https://${host}/", headers: {X-K: "\${{secrets.W_KEY}}"}}}`;

it("of two versions are held against each other, by id or label, yanked or not", async () => {
  const files = { "scripts/run.py": "import numpy\n", "provider.js": "export class P {}" };
  const publish = async (version: string, frontmatter: string) => {
    const body = form(skillZip({ name: "permitted", version, frontmatter, files }));
    const answer = await call("POST", `${SKILLS}/public`, { body });
    expect(answer.status).toBe(201);
    const { metadata, status } = await answer.json<{
      metadata: { labels: { id: string } };
      status: { version_id: string };
    }>();
    return { id: metadata.labels.id, version: status.version_id };
  };
  const tools = "provider: {module: provider, class: P}\ntools: [draw]";
  const first = await publish("1.0.0", server("a.example.com"));
  const second = await publish("2.0.0", `${server("b.example.com")}\n${tools}`);
  const key = await keyFor("a-reader");
  const read = async (rest: string) => call("GET", `${SKILLS}/${first.id}/versions/${rest}`, { key });

  const alone = await (await read(`${first.version}/permissions`)).json<Answer>();
  expect(alone).toMatchObject({ version_id: first.version, version: "1.0.0", changes: null });
  expect(alone.permissions).toMatchObject({
    ...{ hosts: ["a.example.com"], secrets: ["W_KEY"], tools: [], asks_pages: false },
    scripts: [
      { path: "provider.js", language: "javascript" },
      { path: "scripts/run.py", language: "python", runs: "remote" },
    ],
  });

  expect((await call("POST", `${SKILLS}/${first.id}/versions/${first.version}/yank`)).status).toBe(200);
  const [byId, byLabel] = await Promise.all(
    [`${second.version}/permissions?base=${first.version}`, "2.0.0/permissions?base=1.0.0"].map(async (rest) =>
      (await read(rest)).json<Answer>(),
    ),
  );
  expect(byLabel).toEqual(byId);
  expect(byId!.changes).toEqual({
    ...{ version_id: first.version, version: "1.0.0" },
    added: [
      { permission: "asks_pages", value: "true" },
      { permission: "tools", value: "draw" },
      { permission: "servers", value: "w at b.example.com" },
      { permission: "hosts", value: "b.example.com" },
    ],
    removed: [
      { permission: "servers", value: "w at a.example.com" },
      { permission: "hosts", value: "a.example.com" },
    ],
  });
});

it("are of one skill: another skill's version is no base, and nothing of it is shown", async () => {
  const [ann, bob] = [await keyFor("perm-ann"), await keyFor("perm-bob")];
  const hers = await publishOwn(ann, { name: "hers", frontmatter: server("hidden.example.com") });
  const his = await publishOwn(bob, { name: "his" });
  const refusal = async (path: string, key: string) => {
    const answer = await call("GET", `${SKILLS}/${path}`, { key });
    const { code, detail } = await answer.json<{ code: string; detail: string }>();
    return { status: answer.status, code, detail };
  };
  const versionMissing = await refusal(`${his.id}/versions/ver_none/permissions`, bob);
  expect(versionMissing).toMatchObject({ status: 404, code: "VERSION_NOT_FOUND" });
  for (const path of [
    `${his.id}/versions/${hers.version_id}/permissions`,
    `${his.id}/versions/${his.version_id}/permissions?base=${hers.version_id}`,
    `${his.id}/versions/${his.version_id}/permissions?base=ver_none`,
    `${his.id}/versions/${his.version_id}/permissions?base=`,
  ])
    expect([path, await refusal(path, bob)]).toEqual([path, versionMissing]);
  const nobodys = await refusal(`skl_none/versions/${hers.version_id}/permissions`, bob);
  expect(nobodys).toMatchObject({ status: 404, code: "SKILL_NOT_FOUND" });
  expect(await refusal(`${hers.id}/versions/${hers.version_id}/permissions`, bob)).toEqual(nobodys);
});
