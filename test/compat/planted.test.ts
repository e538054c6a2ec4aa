// What was planted comes out of no door: credentials in a version from before they were refused, stored secrets, and what opens things.

import { afterEach, expect, it, vi } from "vitest";
import { askWith } from "../support/app";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { API, upload } from "../support/clawhub";
import { seedSkill } from "../support/registry";
import { publishOwn } from "../support/talk";

const PLANTED = "ghp_PlantedPlantedPlanted0123456789";
const mcpServers = { w: { url: "https://w.example/mcp", headers: { Authorization: `Bearer ${PLANTED}` } } };
const INDEX = "/.well-known/agent-skills/index.json";

afterEach(() => vi.restoreAllMocks());

/** Every address of a door that could show a skill. */
function doorsTo(place: string, name: string, owner: string): string[] {
  const index = [`${place}${INDEX}`, `${place}/${name}${INDEX}`, `${place}/.well-known/skills/${name}/SKILL.md`];
  const claw = [
    `/skills`,
    `/skills/${name}`,
    ...["versions", "versions/0.0.1", "moderation", "install"].map((to) => `/skills/${name}/${to}`),
  ];
  return [
    ...[...index, `${place}/api/search?q=${name}`, `/api/search?q=${name}`],
    ...claw.map((path) => `${API}${path}?ownerHandle=${owner}`),
    ...[`${API}/search?q=${name}`, `${API}/skills/${name}/file?path=SKILL.md&ownerHandle=${owner}`],
    ...[`${API}/download?slug=${name}&ownerHandle=${owner}`, `${API}/resolve?slug=${name}&ownerHandle=${owner}&hash=x`],
  ];
}

async function textsOf(paths: readonly string[], key: string | null): Promise<{ text: string; good: number }> {
  const answers = await Promise.all(paths.map((path) => call("GET", path, { key })));
  const bodies = await Promise.all(answers.map(async (answer) => new TextDecoder().decode(await answer.arrayBuffer())));
  const headers = answers.map((answer) => JSON.stringify([...answer.headers]));
  return { text: [...bodies, ...headers].join("\n"), good: answers.filter(({ ok }) => ok).length };
}

it("a credential in a version is for whoever answers for it, at every door", async () => {
  const [owner, reporter] = [await keyFor("planted-owner"), await keyFor("planted-reporter")];
  await call("POST", "/api/v1/groups", { key: ADMIN_KEY, json: { name: "planted-team" } });
  for (const [user, role] of [
    ["planted-owner", "Owner"],
    ["planted-reporter", "Reporter"],
  ] as const)
    await call("PUT", `/api/v1/groups/planted-team/members/${user}`, { json: { role } });
  await seedSkill({ name: "planted-one", scope: "group:planted-team", mcpServers, body: "Ask it." });
  const open = await seedSkill({ name: "planted-open", scope: "public", mcpServers, body: "Ask it." });
  await call("PUT", `/api/v1/open-skills/${open.id}`);

  const doors = doorsTo("/s/group/planted-team", "planted-one", "group.planted-team");
  const seen = await textsOf(doors, reporter);
  expect(seen.text).not.toContain(PLANTED);
  expect(seen.text).not.toContain("planted-one.zip");
  for (const key of [null, reporter]) {
    const { text } = await textsOf(doorsTo("/s/public", "planted-open", "public"), key);
    expect(text).not.toContain(PLANTED);
  }
  // A link is not its maker, though the maker may.
  const link = await call("POST", "/api/v1/links", { key: owner, json: { group: "planted-team" } });
  const { pathname } = new URL((await link.json<{ url: string }>()).url);
  const linked = [`${pathname}${INDEX}`, `${pathname}/.well-known/skills/planted-one/SKILL.md`];
  expect((await textsOf(linked, null)).text).not.toContain(PLANTED);
  // Vacuous it is not: its owner gets it.
  expect((await textsOf(doors, owner)).text).toContain(PLANTED);
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
