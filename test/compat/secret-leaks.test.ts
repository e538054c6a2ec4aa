// Integrations never return secrets: credentials in old versions from before the check, stored secrets, access tokens, and secrets that an
// import sends to its source.

import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { askWith } from "../support/app";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { API, upload } from "../support/clawhub";
import { begin, entryOf, flatZip, over, SCHEMA, Site } from "../support/import-source";
import { seedSkill } from "../support/registry";

const PLANTED = "ghp_PlantedPlantedPlanted0123456789";
const mcpServers = { w: { url: "https://w.example/mcp", headers: { Authorization: `Bearer ${PLANTED}` } } };
const INDEX = "/.well-known/agent-skills/index.json";

afterEach(() => vi.restoreAllMocks());

/** Every URL that could show a skill, except archives by digest. */
function doorsTo(place: string, name: string, owner: string): string[] {
  const index = [`${place}${INDEX}`, `${place}/${name}${INDEX}`, `${place}/.well-known/skills/${name}/SKILL.md`];
  const claw = [
    `/skills`,
    `/skills/${name}`,
    ...["versions", "versions/0.0.1", "moderation", "install"].map((to) => `/skills/${name}/${to}`),
  ];
  const plugins = [
    `${place}/.claude-plugin/marketplace.json`,
    `${place}/agent-plugin.json`,
    `${place}/agent-plugin.zip`,
  ];
  return [
    ...[...index, ...plugins, `${place}/api/search?q=${name}`, `/api/search?q=${name}`],
    ...claw.map((path) => `${API}${path}?ownerHandle=${owner}`),
    ...[`${API}/search?q=${name}`, `${API}/skills/${name}/file?path=SKILL.md&ownerHandle=${owner}`],
    ...[`${API}/download?slug=${name}&ownerHandle=${owner}`, `${API}/resolve?slug=${name}&ownerHandle=${owner}&hash=x`],
  ];
}

/** Every route of the vendors' APIs that shows a skill, below a base URL. */
function vendorsTo(place: string, { id, versionId }: { id: string; versionId: string }): string[] {
  const [skill, version] = [id.replace("skl_", "skill_"), versionId.replace("ver_", "skver_")];
  const at = (base: string, called: string) => {
    const one = `${base}/${skill}/versions/${called}`;
    return [base, `${base}/${skill}`, `${base}/${skill}/versions`, one, `${one}/content`];
  };
  const openai = `${place}/openai/v1/skills`;
  return [...at(`${place}/anthropic/v1/skills`, version), ...at(openai, "1"), `${openai}/${skill}/content`];
}

async function textsOf(paths: readonly string[], key: string | null): Promise<{ text: string; good: number }> {
  const answers = await Promise.all(paths.map((path) => call("GET", path, { key })));
  const bodies = await Promise.all(answers.map(async (answer) => new TextDecoder().decode(await answer.arrayBuffer())));
  const headers = answers.map((answer) => JSON.stringify([...answer.headers]));
  return { text: [...bodies, ...headers].join("\n"), good: answers.filter(({ ok }) => ok).length };
}

it("a credential in a version is visible only to the users who manage it, in every integration", async () => {
  const [owner, reporter] = [await keyFor("planted-owner"), await keyFor("planted-reporter")];
  await call("POST", "/api/v1/groups", { key: ADMIN_KEY, json: { name: "planted-team" } });
  for (const [user, role] of [
    ["planted-owner", "Owner"],
    ["planted-reporter", "Reporter"],
  ] as const)
    await call("PUT", `/api/v1/groups/planted-team/members/${user}`, { json: { role } });
  const planted = await seedSkill({ name: "planted-one", scope: "group:planted-team", mcpServers, body: "Ask it." });
  const open = await seedSkill({ name: "planted-open", scope: "public", mcpServers, body: "Ask it." });
  await call("PUT", `/api/v1/open-skills/${open.id}`);

  const vendors = vendorsTo("/s/group/planted-team", planted);
  const doors = [...doorsTo("/s/group/planted-team", "planted-one", "group.planted-team"), ...vendors];
  const seen = await textsOf(doors, reporter);
  expect(seen.text).not.toContain(PLANTED);
  expect(seen.text).not.toContain("planted-one.zip");
  for (const key of [null, reporter]) {
    const { text } = await textsOf([...doorsTo("/s/public", "planted-open", "public"), ...vendorsTo("", open)], key);
    expect(text).not.toContain(PLANTED);
  }
  // A link cannot read everything that the user who created it can read.
  const link = await call("POST", "/api/v1/links", { key: owner, json: { group: "planted-team" } });
  const { pathname } = new URL((await link.json<{ url: string }>()).url);
  const linked = [
    ...[`${pathname}${INDEX}`, `${pathname}/.well-known/skills/planted-one/SKILL.md`],
    ...[`${pathname}/.claude-plugin/marketplace.json`, `${pathname}/agent-plugin.zip`],
  ];
  expect((await textsOf(linked, null)).text).not.toContain(PLANTED);
  // Proves that the test can fail: the owner receives the credential, and vendor APIs reject the content as restricted, not as missing.
  expect((await textsOf(doors, owner)).text).toContain(PLANTED);
  const statuses = async (key: string) => {
    const contents = vendors.filter((path) => path.endsWith("/content"));
    return new Set(await Promise.all(contents.map(async (path) => (await call("GET", path, { key })).status)));
  };
  expect(await statuses(reporter)).toEqual(new Set([403]));
  expect(await statuses(owner)).toEqual(new Set([200]));
});

it("what opens things is in no log: keys, links, tickets, slugs, and where they lead", async () => {
  const key = await keyFor("planted-logged");
  await publishOwn(key, { name: "planted-slug" });
  await call("PUT", "/api/v1/secrets/PLANTED", { key, json: { value: PLANTED, hosts: ["planted.example"] } });
  const made = await call("POST", "/api/v1/links", { key, json: {} });
  const { pathname } = new URL((await made.json<{ url: string }>()).url);
  const { uploadTicket } = await upload(key, "planted.txt", "planted-content");
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const ask = (path: string, method = "GET", body?: string) =>
    askWith({ LOG_REQUESTS: "true" }, path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body }),
    });
  const texts: string[] = [];
  const paths = [
    ...doorsTo("/s/own", "planted-slug", "own"),
    `${pathname}${INDEX}`,
    `${pathname}/planted-slug${INDEX}`,
  ];
  for (const path of paths) texts.push(await (await ask(path)).text());
  await ask(`${API}/skills/-/uploads/${uploadTicket}`, "POST", "planted-other");
  await ask(`${API}/skills`, "POST", JSON.stringify({ slug: "planted-slug", files: [{ path: "planted.txt" }] }));
  const lines = [...log.mock.calls, ...error.mock.calls].map(([line]) => String(line));
  expect(lines.length).toBeGreaterThanOrEqual(paths.length + 2);
  expect(lines.join("\n")).not.toMatch(/planted|sgl_|upl_|sgw_[^"]*_[0-9a-f]{8}/i);
  expect(lines.join("\n")).toContain("/api/v1/skills/:slug");
  expect(texts.join("\n")).not.toContain(PLANTED);
});

it("a source's secret is in no report, row, record or log of an import, whatever the source says of it", async () => {
  const key = await keyFor("planted-importer");
  const site = new Site();
  Site.open(site);
  const hosts = [new URL(site.origin).hostname];
  await call("PUT", "/api/v1/secrets/PLANTED", { key, json: { value: PLANTED, hosts } });
  const lines = (["log", "warn", "error"] as const).map((way) =>
    vi.spyOn(console, way).mockImplementation(() => undefined),
  );
  const echo = await entryOf("echo", flatZip({ name: "echo" }), { url: `${PLANTED}.zip` });
  const answers: (() => Response)[] = [
    () => Response.json({ $schema: SCHEMA, skills: [echo] }),
    () => new Response(PLANTED, { status: 401, headers: { "www-authenticate": PLANTED } }),
    () => new Response(null, { status: 302, headers: { location: `https://elsewhere.dev/${PLANTED}` } }),
    () => new Response(`{"${PLANTED}":`),
  ];
  const source = { type: "gateway", url: site.origin, scope: "own", secret: "PLANTED" };
  const reports: unknown[] = [];
  for (const answer of answers) {
    site.says(`/s/own${INDEX}`, answer);
    reports.push(await over(key, await begin(key, { source })));
  }
  // The test is not vacuous: the source received the secret each time.
  const sent = site.asked.filter(({ headers }) => headers.get("authorization") === `Bearer ${PLANTED}`);
  expect(sent.length).toBeGreaterThanOrEqual(answers.length);
  const rows = await env.DB.batch([
    env.DB.prepare("SELECT * FROM imports"),
    env.DB.prepare("SELECT * FROM import_items"),
    env.DB.prepare("SELECT * FROM audit"),
  ]);
  const logged = lines.flatMap((spy) => spy.mock.calls);
  const said = JSON.stringify([reports, rows.map(({ results }) => results), logged]);
  expect(said).not.toContain(PLANTED);
  expect(said).toContain("PLANTED");
});
