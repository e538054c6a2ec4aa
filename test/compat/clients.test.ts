// Requests of real clients, with their checks: `skills` 1.7.4 (add, update, find) and opencode 1.18.33. Taken from the source of their
// packages; both were run against a gateway by hand.

import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { sha256Hex } from "../../src/domain/digest";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";

const INDEXES = [".well-known/agent-skills/index.json", ".well-known/skills/index.json"];

interface Entry {
  name: string;
  type: string;
  description: string;
  url: string;
  digest: string;
  version: string;
  files: string[];
}

/** Sends a request as these clients do, with only the given headers. */
const fetched = (url: string, headers: Record<string, string> = {}) => {
  const { pathname, search } = new URL(url);
  return call("GET", pathname + search, { key: null, headers });
};

/** `skills add <url>`: reads the first index with valid entries, below the path before the root, then every artifact in it. */
async function add(url: string, headers: Record<string, string> = {}): Promise<Map<string, string[]>> {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, "");
  const tried = INDEXES.flatMap((index) => [
    `${origin}${base}/${index}`,
    ...(base === "" ? [] : [`${origin}/${index}`]),
  ]);
  for (const indexUrl of tried) {
    const answer = await fetched(indexUrl, headers);
    if (!answer.ok) continue;
    const index = await answer.json<{ $schema: string; skills: Entry[] }>();
    const entries = index.skills.filter(isAccepted);
    if (index.$schema !== "https://schemas.agentskills.io/discovery/0.2.0/schema.json" || entries.length === 0)
      continue;
    expect(entries).toHaveLength(index.skills.length);
    if (!indexUrl.startsWith(`${origin}${base}/.well-known`)) return new Map();
    return new Map(
      await Promise.all(entries.map(async (entry) => [entry.name, await install(entry, indexUrl)] as const)),
    );
  }
  return new Map();
}

const isAccepted = ({ name, description, type, digest }: Entry) =>
  /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) &&
  name.length <= 64 &&
  description !== "" &&
  description.length <= 1024 &&
  type === "archive" &&
  /^sha256:[a-f0-9]{64}$/.test(digest);

/** An artifact is rejected unless it is a ZIP of regular files with SKILL.md at its root and the listed digest. */
async function install({ url, digest }: Entry, indexUrl: string): Promise<string[]> {
  const answer = await fetched(new URL(url, indexUrl).toString());
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(`sha256:${await sha256Hex(bytes)}`).toBe(digest);
  expect([bytes[0], bytes[1], new DataView(bytes.buffer).getUint32(bytes.length - 22, true)]).toEqual([
    0x50, 0x4b, 0x06054b50,
  ]);
  const files = unzipSync(bytes);
  expect(new TextDecoder().decode(files["SKILL.md"])).toMatch(/^---\r?\n[\s\S]*?name:/);
  return Object.keys(files);
}

async function linkOf(key: string): Promise<string> {
  return (await (await call("POST", "/api/v1/links", { key, json: {} })).json<{ url: string }>()).url;
}

it("skills add, update and find by a link", async () => {
  const key = await keyFor("cli-user");
  await publishOwn(key, { name: "first", version: "1.0.0", files: { "a/b.txt": "b" } });
  await publishOwn(key, { name: "second", description: `${"Long. ".repeat(400)}` });
  const url = await linkOf(key);
  expect(await add(url)).toEqual(
    new Map([
      ["first", ["SKILL.md", "a/b.txt"]],
      ["second", ["SKILL.md"]],
    ]),
  );
  expect([...(await add(`${url}/first`)).keys()]).toEqual(["first"]);

  const digests = async () => {
    const index = await fetched(`${url}/${INDEXES[0]}`, { "x-skills-update-check": "1" });
    const { skills } = await index.json<{ skills: Entry[] }>();
    return new Map(skills.map(({ name, digest }) => [name, digest]));
  };
  const locked = await digests();
  await publishOwn(key, { name: "first", version: "2.0.0", body: "Changed." });
  const changed = await digests();
  expect([...changed].filter(([name, digest]) => locked.get(name) !== digest).map(([name]) => name)).toEqual(["first"]);

  const found = await (await fetched(`${url}/api/search?q=changed&limit=20`)).json<{ skills: object[] }>();
  expect(found.skills[0]).toEqual({
    ...{ id: expect.any(String), name: "first", source: `${url}/first`, installs: 0 },
  });
});

it("skills add of the gateway installs open skills, and nothing if there are none", async () => {
  expect(await add("https://gateway.test")).toEqual(new Map());
  const { id } = await publishPublic({ name: "for-all" });
  await call("PUT", `/api/v1/open-skills/${id}`);
  expect([...(await add("https://gateway.test")).keys()]).toEqual(["for-all"]);
  expect([...(await add("https://gateway.test/s/public/for-all")).keys()]).toEqual(["for-all"]);
  // An unknown base URL does not return the skills of the root.
  expect(await add("https://gateway.test/t/sgl_nothing")).toEqual(new Map());
});

it("opencode reads the files of every entry below the index, and again only where `version` changed", async () => {
  const key = await keyFor("opencode-user");
  await publishOwn(key, { name: "opened", version: "1.0.0", files: { "notes/a b.txt": "x", "ü.md": "y" } });
  const base = `${await linkOf(key)}/.well-known/skills/`;
  const entries = async () => (await (await fetched(`${base}index.json`)).json<{ skills: Entry[] }>()).skills;
  const [entry] = await entries();
  expect(entry!.files).toContain("SKILL.md");
  for (const file of entry!.files) {
    const answer = await fetched(new URL(`${entry!.name}/${file}`, base).toString());
    expect([file, answer.status]).toEqual([file, 200]);
    await answer.body?.cancel();
  }
  expect((await entries())[0]!.version).toBe(entry!.version);
  await publishOwn(key, { name: "opened", version: "2.0.0", body: "New." });
  expect((await entries())[0]!.version).not.toBe(entry!.version);
});
