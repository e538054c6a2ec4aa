// Backup and restore of a running gateway: the state is deleted, restored and compared.

import { appendFile, readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { run } from "./commands";
import { type Gateway, newPlace, type Place, start, until } from "./launcher";
import { skillForm } from "./skill";
import { busy, workloads } from "./workload";

/** Text that is difficult for line and SQL parsers, and larger than one D1 statement. */
const HARD = `It's "quoted"; -- not a comment\u2028\u2029 a line\r\nand\ttabs, \u{1F433}${"wal'fisch \u{1F433}\n".repeat(14_000)}`;

interface Skill {
  metadata: { name: string; labels: { id: string } };
}

let place: Place;
let folder: string;
beforeEach(async () => {
  place = await newPlace();
  folder = path.join(path.dirname(place.state), "kept");
});

const state = () => ["--state", place.state];

async function send(gateway: Gateway, method: string, route: string, body?: FormData | object) {
  const isForm = body instanceof FormData;
  const answer = await gateway.fetch(route, {
    method,
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(body === undefined || isForm ? {} : { headers: { "content-type": "application/json" } }),
  });
  expect(answer.ok, `${method} ${route}: ${answer.status} ${await answer.clone().text()}`).toBe(true);
  return answer;
}

/** Returns all data of users: each skill's row and ZIP, ghosts, keys, groups, names of secrets, and the log. */
async function everything(gateway: Gateway) {
  const json = async (route: string) => (await (await send(gateway, "GET", route)).json()) as { items: unknown[] };
  const skills = (await json("/api/v1/kinds/skills?namespace=default")).items as Skill[];
  const zips = skills.map(async ({ metadata }) => {
    const zip = await send(gateway, "GET", `/api/v1/kinds/skills/${metadata.labels.id}/download`);
    return [metadata.name, Buffer.from(await zip.arrayBuffer()).toString("base64")];
  });
  return {
    skills,
    zips: Object.fromEntries(await Promise.all(zips)),
    ghosts: await json("/api/v1/kinds/ghosts?namespace=default"),
    keys: ((await json("/api/v1/keys")).items as { id: string }[]).map(({ id }) => id),
    groups: await json("/api/v1/groups"),
    secrets: await json("/api/v1/secrets"),
    audit: await json("/api/v1/audit?action=skill.publish"),
  };
}

async function find(gateway: Gateway, query: string): Promise<string> {
  const chat = `/api/v1/conversations/${crypto.randomUUID()}`;
  await send(gateway, "POST", `${chat}/turns`, { format: "openai", conversation: {} });
  const calls = [{ id: "c", name: "find_skill", arguments: { query } }];
  const { results } = (await (await send(gateway, "POST", `${chat}/tool-calls`, { calls })).json()) as {
    results: { content: { text: string }[] }[];
  };
  return results[0]?.content[0]?.text ?? "";
}

async function fill(gateway: Gateway): Promise<void> {
  await send(gateway, "POST", "/api/v1/kinds/skills/upload", skillForm("plain", "Do it."));
  await send(gateway, "POST", "/api/v1/kinds/skills/upload", skillForm("plain", "Do it well.", "1.1.0"));
  await send(gateway, "POST", "/api/v1/kinds/skills/upload", skillForm("hard", HARD));
  await send(gateway, "PUT", "/api/v1/kinds/ghosts/by-name/default/poet", {
    spec: { systemPrompt: "It's a poet.\r\n", skills: ["plain"] },
  });
  await send(gateway, "POST", "/api/v1/keys", { user_id: "ann", scopes: ["conversations"] });
  await send(gateway, "POST", "/api/v1/groups", { name: "writers" });
  await send(gateway, "PUT", "/api/v1/secrets/TOKEN", { value: "a-value-nobody-sees", hosts: ["api.example.com"] });
}

/** Starts a conversation in which a script leaves a file. Returns the route of the file. */
async function chatWithFile(gateway: Gateway): Promise<string> {
  const source = 'import { writeFileSync } from "node:fs";\nwriteFileSync("kept.txt", "kept");\n';
  const form = skillForm("writer", "Run the script.", "1.0.0", { "scripts/write.js": source });
  await send(gateway, "POST", "/api/v1/kinds/skills/public", form);
  const chat = "/api/v1/conversations/with-file";
  await send(gateway, "POST", `${chat}/turns`, { format: "openai", conversation: {} });
  for (const [name, more] of [
    ["load_skill", {}],
    ["execute_skill_script", { script_path: "scripts/write.js" }],
  ] as const)
    await send(gateway, "POST", `${chat}/tool-calls`, {
      calls: [{ id: name, name, arguments: { skill_name: "writer", ...more } }],
    });
  const files = (await (await send(gateway, "GET", `${chat}/files`)).json()) as { items: { address: string }[] };
  expect(files.items).toHaveLength(1);
  return files.items[0]!.address;
}

it("is restored as it was, byte for byte, and search works; nothing is written over unasked, nor by a backup that was changed", {
  timeout: 300_000,
}, async () => {
  const before = start(place);
  const gateway = await before.ready();
  await fill(gateway);
  await send(gateway, "POST", "/api/v1/conversations/one/turns", { format: "openai", conversation: {} });
  const was = await everything(gateway);
  expect(Object.keys(was.zips)).toEqual(expect.arrayContaining(["hard", "plain"]));
  await before.stop();

  const made = await run("backup", [...state(), "--out", folder]);
  expect(made).toMatchObject({ code: 0, stdout: `backup ${folder}\n` });
  expect((await stat(folder)).mode & 0o077).toBe(0);
  expect(await readFile(path.join(folder, "secrets.jsonl"), "utf8")).not.toContain("a-value-nobody-sees");

  await rm(place.state, { recursive: true });
  const restored = await run("restore", [folder, ...state()]);
  expect(restored, restored.stderr).toMatchObject({ code: 0, stdout: `restored ${place.state}\n` });
  const after = start(place);
  const second = await after.ready();
  expect(await everything(second)).toEqual(was);
  expect(await find(second, "smoke tests")).toContain("hard");
  expect(await (await second.fetch("/health")).json()).toMatchObject({ status: "ok" });
  await send(second, "POST", "/api/v1/kinds/skills/upload", skillForm("newer", "Do more."));
  await after.stop();

  expect(await run("restore", [folder, ...state()])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Pass --yes"),
  });
  const left = async () => (await readdir(place.state)).filter((name) => /^v3|restoring/.test(name)).length;
  expect(await left()).toBe(1);
  expect((await run("restore", [folder, ...state(), "--yes"])).code).toBe(0);
  expect(await left()).toBe(2);

  const objects = path.join(folder, "durable-objects", "skill-gateway-Conversation");
  const [changed] = (await readdir(objects)).filter((name) => name !== "metadata.sqlite");
  await appendFile(path.join(objects, changed!), "x");
  expect(await run("restore", [folder, ...state(), "--yes"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${changed} does not match its digest`),
  });
  expect(await left()).toBe(2);
  const third = await start(place).ready();
  expect(await everything(third)).toEqual(was);
  await send(third, "GET", "/api/v1/conversations/one");

  // Makes a lost search index again while the gateway serves.
  const options = ["--url", third.url];
  expect(await run("reindex", [...options, "--key", third.key])).toMatchObject({ code: 0 });
  const refused = await run("reindex", options, { env: { GATEWAY_KEY: "sgw_wrong" } });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("401") });
});

it("is made while the gateway is written to, with conversations and files of scripts, and loses nothing acknowledged", {
  timeout: 300_000,
}, async () => {
  const before = start(place);
  const gateway = await before.ready();
  await fill(gateway);
  const file = await chatWithFile(gateway);
  const all = workloads.map((make) => make());
  const work = busy(gateway, all);
  await until("some steps are acknowledged", () => all.every((workload) => workload.acknowledged() > 5));
  const acknowledged = all.map((workload) => workload.snapshot());
  const made = await run("backup", [...state(), "--out", folder]);
  expect(made, made.stderr).toMatchObject({ code: 0, stdout: `backup ${folder}\n` });
  const during = all.map((workload) => workload.acknowledged());
  await until("steps are acknowledged after the backup", () =>
    all.every((each, i) => each.acknowledged() > during[i]!),
  );
  await work.stop();
  await before.stop();

  await rm(place.state, { recursive: true });
  const restored = await run("restore", [folder, ...state()]);
  expect(restored, restored.stderr).toMatchObject({ code: 0, stdout: `restored ${place.state}\n` });
  const second = await start(place).ready();
  for (const verify of acknowledged) await verify(second);
  expect(await (await send(second, "GET", file)).text()).toBe("kept");
  // The conversation continues with its turn and its skill.
  const chat = "/api/v1/conversations/with-file";
  expect(await (await send(second, "GET", chat)).json()).toMatchObject({ turn: 1 });
  const next = await send(second, "POST", `${chat}/turns`, { format: "openai" });
  expect(await next.json()).toMatchObject({ turn: 2 });
});
