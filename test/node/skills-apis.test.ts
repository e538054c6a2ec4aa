// The vendors' SDKs, with only URL and key set, publish and read skills of the built gateway.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic, { toFile } from "@anthropic-ai/sdk";
import { type AgentToolContext, setupSkills } from "@anthropic-ai/sdk/tools/agent-toolset/node";
import { uploadSkill } from "ai";
import { unzipSync } from "fflate";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Harness } from "../support/harness";

const gateway = new Harness();
const SCOPES = ["skills:read", "skills:write"];

/** A user's own key. */
async function keyOf(user: string): Promise<string> {
  const made = await gateway.send("POST", "/api/v1/keys", { user_id: user, scopes: SCOPES });
  return ((await made.json()) as { key: string }).key;
}
const text = (name: string, body: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n\n${body}\n`;
const filesOf = async (name: string, body = "One.") => [
  await toFile(Buffer.from(text(name, body)), `${name}/SKILL.md`),
  await toFile(Buffer.from("print(1)\n"), `${name}/scripts/größe.py`),
];
const names = (zip: ArrayBuffer) => Object.keys(unzipSync(new Uint8Array(zip)));

beforeAll(() => gateway.start());
afterAll(() => gateway.close());

it("@anthropic-ai/sdk creates, lists, pages, adds versions and deletes", async () => {
  const client = new Anthropic({ apiKey: await keyOf("ant"), baseURL: `${gateway.url}/anthropic`, maxRetries: 0 });
  const { id } = await client.skills.create({ files: await filesOf("alpha"), display_name: "Alpha" });
  expect(await client.skills.retrieve(id)).toMatchObject({ display_name: "Alpha", source: { type: "custom" } });
  for (const name of ["beta", "gamma"]) await client.skills.create({ files: await filesOf(name) });
  const listed: string[] = [];
  for await (const skill of client.skills.list({ limit: 1 })) listed.push(skill.display_name);
  expect(listed).toEqual(["Alpha", "beta", "gamma"]);
  const version = await client.skills.versions.create(id, { files: await filesOf("alpha", "Two.") });
  expect(await client.skills.versions.retrieve("latest", { skill_id: id })).toEqual(version);
  const versions: string[] = [];
  for await (const one of client.skills.versions.list(id, { limit: 1 })) versions.push(one.id);
  expect([versions.length, versions[0]]).toEqual([2, version.id]);
  const zip = await client.beta.skills.versions.download(version.id, { skill_id: id });
  expect(names(await zip.arrayBuffer())).toEqual(["alpha/SKILL.md", "alpha/scripts/größe.py"]);
  expect(await client.skills.versions.delete(version.id, { skill_id: id })).toMatchObject({ id: version.id });
  const taken = client.skills.create({ files: await filesOf("alpha", "Three.") });
  await expect(taken).rejects.toMatchObject({ status: 409, requestID: expect.any(String) });
  expect(await client.skills.delete(id)).toEqual({ id, type: "skill_deleted" });
  await expect(client.skills.retrieve(id)).rejects.toBeInstanceOf(Anthropic.NotFoundError);
});

it("@anthropic-ai/sdk does not retry after a conflict", async () => {
  const sent: string[] = [];
  const client = new Anthropic({
    ...{ apiKey: await keyOf("conflicted"), baseURL: `${gateway.url}/anthropic`, maxRetries: 2 },
    fetch: (url, init) => {
      sent.push(String(url));
      return fetch(url, init);
    },
  });
  await client.skills.create({ files: await filesOf("once") });
  await expect(client.skills.create({ files: await filesOf("once") })).rejects.toBeInstanceOf(Anthropic.ConflictError);
  expect(sent.filter((url) => url.endsWith("/v1/skills"))).toHaveLength(2);
});

it("@anthropic-ai/sdk sets a session's skills up in a folder", async () => {
  const client = new Anthropic({ apiKey: await keyOf("session"), baseURL: `${gateway.url}/anthropic`, maxRetries: 0 });
  const { id } = await client.skills.create({ files: await filesOf("alpha") });
  const workdir = await mkdtemp(path.join(tmpdir(), "skills-"));
  const session = { agent: { skills: [{ type: "custom", skill_id: id, version: "latest" }] } };
  const context = { client, workdir, session } as unknown as AgentToolContext;
  try {
    await setupSkills(context);
    const read = (file: string) => readFile(path.join(workdir, "skills/alpha", file), "utf8");
    expect(await read("SKILL.md")).toBe(text("alpha", "One."));
    expect(await read("scripts/größe.py")).toBe("print(1)\n");
  } finally {
    await rm(workdir, { recursive: true });
  }
});

it("openai creates from files and from a ZIP, moves its default, pages and deletes", async () => {
  const client = new OpenAI({ apiKey: await keyOf("oai"), baseURL: `${gateway.url}/openai/v1`, maxRetries: 0 });
  const { id } = await client.skills.create({ files: await filesOf("alpha") });
  const zipped = await client.skills.content.retrieve(id);
  const bytes = await zipped.arrayBuffer();
  expect(names(bytes)).toEqual(["alpha/SKILL.md", "alpha/scripts/größe.py"]);
  const other = new OpenAI({ apiKey: await keyOf("oai-2"), baseURL: `${gateway.url}/openai/v1`, maxRetries: 0 });
  const copy = await other.skills.create({ files: await toFile(bytes, "alpha.zip") });
  expect(copy).toMatchObject({ name: "alpha", default_version: "1" });

  await client.skills.versions.create(id, { files: await filesOf("alpha", "Two.") });
  await client.skills.versions.create(id, { files: await filesOf("alpha", "Three."), default: true });
  expect(await client.skills.update(id, { default_version: "2" })).toMatchObject({
    ...{ default_version: "2", latest_version: "3" },
  });
  const numbers: string[] = [];
  for await (const one of client.skills.versions.list(id, { limit: 1, order: "asc" })) numbers.push(one.version);
  expect(numbers).toEqual(["1", "2", "3"]);
  expect(await client.skills.versions.delete("3", { skill_id: id })).toMatchObject({ version: "3", deleted: true });
  await expect(client.skills.versions.delete("2", { skill_id: id })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  const content = await client.skills.versions.content.retrieve("1", { skill_id: id });
  expect(names(await content.arrayBuffer())).toHaveLength(2);
  await client.skills.create({ files: await filesOf("beta") });
  const listed: string[] = [];
  for await (const skill of client.skills.list({ limit: 1 })) listed.push(skill.name);
  expect(listed).toEqual(["beta", "alpha"]);
  expect(await client.skills.delete(id)).toMatchObject({ id, deleted: true });
});

it("uploadSkill of the AI SDK uploads by both", async () => {
  const apiKey = await keyOf("ai-sdk");
  const files = (name: string) => [{ path: `${name}/SKILL.md`, data: new TextEncoder().encode(text(name, "One.")) }];
  const anthropic = createAnthropic({ apiKey, baseURL: `${gateway.url}/anthropic/v1` });
  const first = await uploadSkill({ api: anthropic, files: files("by-beta"), displayTitle: "By beta" });
  expect(first).toMatchObject({
    ...{ providerReference: { anthropic: expect.stringMatching(/^skill_/) }, displayTitle: "By beta" },
    ...{ name: "by-beta", description: "Does by-beta.", latestVersion: expect.stringMatching(/^\d{16}$/) },
  });
  const openai = createOpenAI({ apiKey, baseURL: `${gateway.url}/openai/v1` });
  const second = await uploadSkill({ api: openai, files: files("by-number") });
  expect(second).toMatchObject({ name: "by-number", latestVersion: "1" });
});
