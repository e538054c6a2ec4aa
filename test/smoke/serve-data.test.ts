// The data of `npm run serve`: what an erasure leaves on the disk, and an upgrade with its way back.

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { copyCheckout } from "./checkout";
import { run as runScript } from "./commands";
import { type Gateway, initServed, newPlace, type Place, type Run, readyServed, serve, until } from "./launcher";
import { skillForm } from "./skill";

vi.setConfig({ testTimeout: 600_000 });

const JSON_TYPE = { "content-type": "application/json" };

let place: Place;
let key: string;
beforeEach(async () => {
  place = await newPlace();
  key = await initServed(place);
});

/** One word for each kind of text that an erasure deletes. Words of the search index are in lower case. */
const WORDS = {
  user: "quxuserone",
  key: "quxkeyone",
  conversation: "quxconversationone",
  message: "quxmessageone",
  skill: "quxskillone",
  instructions: "quxinstructionsone",
  agent: "quxagentone",
  secret: "QUXSECRETONE",
};

async function send(gateway: Gateway, method: string, route: string, body?: FormData | object, userKey?: string) {
  const isForm = body instanceof FormData;
  const answer = await gateway.fetch(route, {
    method,
    key: userKey,
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(body === undefined || isForm ? {} : { headers: JSON_TYPE }),
  });
  const text = await answer.text();
  expect(answer.ok, `${method} ${route}: ${answer.status} ${text}`).toBe(true);
  return text;
}

/** Stores something of every kind for a user, and deletes one of two conversations by itself. */
async function fill(gateway: Gateway): Promise<void> {
  const scopes = ["conversations", "chat", "skills:read", "skills:write", "ghosts", "secrets"];
  const made = await send(gateway, "POST", "/api/v1/keys", { user_id: WORDS.user, name: WORDS.key, scopes });
  const { key: own } = JSON.parse(made) as { key: string };
  const form = skillForm(WORDS.skill, `${WORDS.instructions} and more.`);
  await send(gateway, "POST", "/api/v1/kinds/skills/upload", form, own);
  const spec = { systemPrompt: WORDS.agent, skills: [WORDS.skill] };
  await send(gateway, "PUT", `/api/v1/kinds/ghosts/by-name/default/${WORDS.agent}`, { spec }, own);
  await send(
    gateway,
    "PUT",
    `/api/v1/secrets/${WORDS.secret}`,
    { value: "not-a-real-secret", hosts: ["api.example.com"] },
    own,
  );
  for (const id of [WORDS.conversation, `${WORDS.conversation}-2`]) {
    const messages = [{ role: "user", content: `${WORDS.message} hello` }];
    const answer = await gateway.fetch("/openai/v1/chat/completions", {
      method: "POST",
      key: own,
      headers: { ...JSON_TYPE, "x-conversation-id": id },
      body: JSON.stringify({ model: "demo", messages }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    const load = { id: "load", name: "load_skill", arguments: { skill_name: WORDS.skill } };
    await send(gateway, "POST", `/api/v1/conversations/${id}/tool-calls`, { calls: [load] }, own);
  }
  await send(gateway, "DELETE", `/api/v1/conversations/${WORDS.conversation}-2`, undefined, own);
}

/** Returns the words that any file of the state contains. */
async function wordsOnDisk(): Promise<string[]> {
  const entries = await readdir(place.state, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(async (file) => (await readFile(file)).toString("latin1")));
  return Object.values(WORDS).filter((word) => texts.some((text) => text.includes(word)));
}

async function erase(gateway: Gateway): Promise<void> {
  const { complete } = JSON.parse(await send(gateway, "DELETE", `/api/v1/users/${WORDS.user}`)) as {
    complete: boolean;
  };
  expect(complete).toBe(true);
}

it("after an erasure and the compaction of the night, the disk has nothing of the erased text", async () => {
  const run = serve(place, { env: { DEMO_MODEL: "on" } });
  const gateway = await readyServed(run, key);
  await fill(gateway);
  await send(gateway, "POST", "/api/v1/conversations", { id: "stays" });
  expect((await wordsOnDisk()).sort()).toEqual(Object.values(WORDS).sort());
  await erase(gateway);
  // What is deleted is still on the disk, so the search below can find it.
  expect(await wordsOnDisk()).not.toEqual([]);

  const compactions = () => run.stdout.filter((line) => line.includes('"event":"compacted"')).length;
  const before = compactions();
  run.process.kill("SIGUSR2");
  await until("the compaction has begun", () => compactions() > before);
  // This request waits until workerd runs again.
  await send(gateway, "GET", "/api/v1/conversations/stays");
  expect(await wordsOnDisk()).toEqual([]);
  expect(run.stdout.join("\n")).not.toContain("GATEWAY_RESTARTING");
});

it("after an erasure, a crash and a start, the disk has nothing of the erased text", async () => {
  const first = serve(place, { env: { DEMO_MODEL: "on" } });
  const gateway = await readyServed(first, key);
  await fill(gateway);
  await erase(gateway);
  await first.stop("SIGKILL");
  expect(await wordsOnDisk()).not.toEqual([]);
  const second = serve(place, { env: { DEMO_MODEL: "on" } });
  await send(await readyServed(second, key), "GET", "/api/v1/me");
  expect(await wordsOnDisk()).toEqual([]);
});

/** A copy of this checkout with one more migration, as the next version would have. */
async function nextVersion(): Promise<string> {
  const checkout = await copyCheckout([".dev.vars", "test", "bench"]);
  await writeFile(path.join(checkout, "migrations", "9999_next.sql"), "CREATE TABLE next_version (a TEXT);\n");
  return checkout;
}

it("an upgrade makes a backup before it migrates, and the way back restores it with the older version", async () => {
  const older = serve(place);
  const gateway = await readyServed(older, key);
  await send(gateway, "POST", "/api/v1/conversations/kept/turns", { format: "openai", conversation: {} });
  await send(gateway, "POST", "/api/v1/kinds/skills/upload", skillForm("kept", "Stays."));
  await older.stop();

  const checkout = await nextVersion();
  try {
    const newer = serve(place, { checkout });
    const upgraded = await readyServed(newer, key);
    const folder = JSON.parse(newer.stdout.find((line) => line.includes('"event":"backup"')) ?? "{}").folder as string;
    expect(folder).toMatch(/\/backups\/before-9999_next-\d+$/);
    await send(upgraded, "GET", "/api/v1/conversations/kept");
    await newer.stop();

    const refused: Run = serve(place);
    expect(await refused.exit).toBe(1);
    expect(refused.stdout.join("\n")).toContain("The state is newer than this version");
    const restored = await runScript("restore", [folder, "--state", place.state, "--yes"]);
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    const back = await readyServed(serve(place), key);
    expect(JSON.parse(await send(back, "GET", "/api/v1/conversations/kept"))).toMatchObject({ turn: 1 });
    expect(await send(back, "GET", "/api/v1/kinds/skills?namespace=default")).toContain('"kept"');
  } finally {
    await rm(checkout, { recursive: true, force: true });
  }
});
