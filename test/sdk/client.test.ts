// The client of the package against a running gateway, over a connection with scripted failures.

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { SkillGateway, SkillGatewayError } from "../../sdk/src/index";
import { Harness, KEY } from "../support/harness";
import { Flaky } from "../support/sdk/flaky";
import { skillZip } from "../support/skill";

const gateway = new Harness();
const line = new Flaky(() => gateway.url);
let client: SkillGateway;
let patient: SkillGateway;

beforeAll(async () => {
  await gateway.start();
  await line.start();
  await gateway.publish({ name: "tides", description: "Knows the tides.", body: "High water at noon. ".repeat(2_000) });
});
beforeEach(() => {
  line.faults = [];
  line.seen.length = 0;
  line.onRequest = () => {};
  client = new SkillGateway({ url: `${line.url}/`, key: KEY, retries: 0 });
  patient = new SkillGateway({ url: line.url, key: KEY });
});
afterAll(async () => {
  await line.stop();
  await gateway.close();
});

const file = (name: string) => new File([skillZip({ name })], `${name}.zip`);
const load = { id: "call_1", name: "load_skill", arguments: { skill_name: "tides" } };

it("calls operations by name, for a user, with path, query, body and form", async () => {
  const alice = client.as("alice");
  expect(await alice.call("me.get", {})).toMatchObject({ user_id: "alice", role: "user" });
  const skill = await alice.call("skills.publish", { body: { file: file("notes") } });
  expect(skill.metadata.name).toBe("notes");
  const { id } = skill.metadata.labels;
  expect(await alice.call("skills.get", { path: { id } })).toMatchObject({ kind: "Skill" });
  const bytes = await alice.call("skills.file", { path: { id, path: "SKILL.md" } });
  expect(await bytes.text()).toContain("name: notes");
  await expect(alice.call("skills.delete", { path: { id } })).resolves.toBeUndefined();
});

it("walks through lists of every form, page after page", async () => {
  const bob = client.as("bob");
  for (const name of ["one", "two", "three"]) await bob.call("skills.publish", { body: { file: file(name) } });
  await bob.call("turns.prepare", { path: { id: "listed" }, body: { conversation: {} } });
  const all = async (from: AsyncIterable<unknown>) => {
    let count = 0;
    for await (const _ of from) count++;
    return count;
  };
  expect(await all(bob.list("skills.list", { query: { limit: 2 } }))).toBe(3);
  // Plain arrays, next to public skills.
  expect(await all(bob.list("skills.unified", { query: { limit: 2 } }))).toBeGreaterThanOrEqual(4);
  const events = await all(bob.list("conversations.events", { path: { id: "listed" }, query: { limit: 1 } }));
  expect(events).toBeGreaterThan(0);
  expect(line.seen.filter(({ path }) => path.includes("/kinds/skills?"))).toHaveLength(2);
});

it("throws the gateway's error with its code and all issues", async () => {
  const refused = await client.call("turns.prepare", { path: { id: "nowhere" } }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(SkillGatewayError);
  expect(refused).toMatchObject({ status: 404, code: "CONVERSATION_NOT_FOUND", isOutage: false });
  const wrong = { body: { name: "-", display_name: "" } };
  await expect(client.call("groups.create", wrong)).rejects.toMatchObject({
    status: 400,
    issues: [expect.objectContaining({ path: "name" }), expect.objectContaining({ path: "display_name" })],
  });
});

it("sends again with the same ids after 429, 503, a lost answer and a refused connection", {
  tags: ["slow"],
}, async () => {
  line.faults = [
    { on: /turns/, what: 429 },
    { on: /turns/, what: 503 },
    { on: /turns/, what: "lost" },
  ];
  const turn = await patient.call("turns.prepare", { path: { id: "again" }, body: { key: "m1", conversation: {} } });
  expect(turn.turn).toBe(1);
  const keys = line.seen.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(1);
  line.faults = [{ on: /me/, what: "refused" }];
  await expect(patient.call("me.get", {})).resolves.toMatchObject({ user_id: "admin" });
});

it("never repeats a request that could have an effect twice, except after 429", async () => {
  line.faults = [{ on: /keys/, what: 503 }];
  await expect(patient.call("keys.create", { body: { user_id: "carol" } })).rejects.toMatchObject({ status: 503 });
  line.faults = [{ on: /keys/, what: "lost" }];
  await expect(patient.call("keys.create", { body: { user_id: "carol" } })).rejects.toMatchObject({
    code: "UNREACHABLE",
  });
  expect(line.seen).toHaveLength(2);
  line.faults = [{ on: /keys/, what: 429 }];
  await expect(patient.call("keys.create", { body: { user_id: "carol" } })).resolves.toMatchObject({
    user_id: "carol",
  });
});

it("repeats a request whose response was cut", async () => {
  line.faults = [{ on: /turns/, what: "cut" }];
  const turn = await patient.call("turns.prepare", { path: { id: "middle" }, body: { key: "m1", conversation: {} } });
  expect(turn.turn).toBe(1);
  line.faults = [{ on: /kinds/, what: "cut" }];
  let count = 0;
  for await (const _ of patient.list("skills.unified", {})) count++;
  expect(count).toBeGreaterThan(0);
  expect(line.seen).toHaveLength(4);
  line.faults = [{ on: /keys/, what: "cut" }];
  await expect(patient.call("keys.create", { body: { user_id: "carol" } })).rejects.toMatchObject({
    code: "UNREACHABLE",
  });
  expect(line.seen).toHaveLength(5);
});

it("sends everything again while nothing listens, for nothing has happened", async () => {
  const closed = new Flaky(() => gateway.url);
  await closed.start();
  await closed.stop();
  let refused = 0;
  const client = new SkillGateway({
    url: line.url,
    key: KEY,
    fetch: (url, init) => fetch(refused++ < 2 ? closed.url : url, init),
  });
  await expect(client.call("keys.create", { body: { user_id: "dora" } })).resolves.toMatchObject({ user_id: "dora" });
  expect(line.seen).toHaveLength(1);
});

it("carries the bookmark of each answer to the next request", async () => {
  await client.call("groups.create", { body: { name: "marked" } });
  await client.call("groups.get", { path: { name: "marked" } });
  expect(line.seen[0]?.headers["x-d1-bookmark"]).toBeUndefined();
  expect(line.seen[1]?.headers["x-d1-bookmark"]).toMatch(/^[0-9a-f-]+$/);
});

it("yields tool calls as they arrive, and continues a cut stream without yielding twice", async () => {
  await patient.call("turns.prepare", { path: { id: "stream" }, body: { conversation: { delivery: "auto" } } });
  line.faults = [{ on: /tool-calls/, what: "cut" }];
  const calls = [load, { id: "call_2", name: "read_skill", arguments: { skill_name: "tides" } }];
  const told: string[] = [];
  for await (const { event, data } of patient.stream("toolCalls.run", { path: { id: "stream" }, body: { calls } }))
    told.push(event === "result" ? `${event} ${data.id}` : event);
  expect(told).toEqual(["result call_1", "result call_2", "done"]);
  const { active } = await patient.call("conversations.get", { path: { id: "stream" } });
  expect(active.map(({ skill }) => skill)).toEqual(["tides"]);
});

it("stops when the caller aborts, and after a timeout", async () => {
  const leave = new AbortController();
  line.onRequest = () => leave.abort(new Error("gone"));
  await expect(patient.call("me.get", {}, { signal: leave.signal })).rejects.toThrow("gone");
  expect(line.seen).toHaveLength(1);
  const silent = new SkillGateway({
    url: line.url,
    key: KEY,
    retries: 0,
    fetch: (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))),
  });
  await expect(silent.call("me.get", {}, { timeoutMs: 5 })).rejects.toMatchObject({ code: "TIMEOUT", isOutage: true });
});
