// Conversations of earlier gateways continue; and the state of a store after rolled back changes.

import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { ConversationStore } from "../../../src/storage/object/conversation";
import { call } from "../../support/call";
import { publishPublic } from "../../support/chat-turns";
import { evict, objectOf } from "../../support/clock";
import { askPage, conversationOf, Page } from "../../support/page";

/** Tables that earlier gateways created at once, with data: the newest of them, version 4. */
const EARLIER = `
  CREATE TABLE turn_keys (key TEXT PRIMARY KEY, turn INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE texts (version_id TEXT PRIMARY KEY, instructions TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE calls (id TEXT PRIMARY KEY, turn INTEGER NOT NULL, request TEXT NOT NULL, result TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE answers (key TEXT PRIMARY KEY, at INTEGER NOT NULL, request TEXT NOT NULL, answer TEXT) WITHOUT ROWID;
  CREATE TABLE requests (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, skill_name TEXT, action TEXT NOT NULL,
    payload TEXT NOT NULL, timeout_ms INTEGER NOT NULL, created INTEGER NOT NULL, deadline INTEGER NOT NULL,
    attempt INTEGER NOT NULL, state TEXT NOT NULL, answer TEXT, note TEXT, ended INTEGER);
  CREATE INDEX requests_pending ON requests (deadline) WHERE state = 'pending';
  CREATE INDEX requests_ended ON requests (ended) WHERE ended IS NOT NULL;
  CREATE TABLE sequence (one INTEGER PRIMARY KEY CHECK (one = 1), value INTEGER NOT NULL);
  CREATE TABLE tickets (hash TEXT PRIMARY KEY, expires INTEGER NOT NULL, holder TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX tickets_expiry ON tickets (expires);
  CREATE TABLE upstreams (key TEXT PRIMARY KEY, used INTEGER NOT NULL, state TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE snapshots (seq INTEGER PRIMARY KEY, shape INTEGER NOT NULL, state TEXT NOT NULL);
  CREATE TABLE passes (seq INTEGER PRIMARY KEY, turn INTEGER NOT NULL);
  CREATE INDEX passes_turn ON passes (turn, seq);
  INSERT INTO passes SELECT seq, event ->> '$.turn' FROM events WHERE event ->> '$.type' IN ('turn', 'restored');
  INSERT INTO turn_keys SELECT substr(key, 6), CAST(value AS INTEGER) FROM meta WHERE key LIKE 'turn:%';
  INSERT INTO texts SELECT substr(key, 6), substr(value, instr(value, char(10)) + 1) FROM meta WHERE key LIKE 'text:%';
  INSERT INTO calls SELECT substr(value, 1, instr(value, char(10)) - 1) ->> '$.id', substr(value, 1, instr(value, char(10)) - 1) ->> '$.turn',
    substr(value, 1, instr(value, char(10)) - 1) ->> '$.request', substr(value, instr(value, char(10)) + 1) FROM meta WHERE key LIKE 'result:%';
  INSERT INTO meta SELECT 'owner', value -> '$.owner' FROM meta WHERE key = 'about';
  INSERT INTO meta SELECT 'created', value ->> '$.created' FROM meta WHERE key = 'about';
  INSERT INTO meta SELECT 'settings', value -> '$.settings' FROM meta WHERE key = 'about';
  INSERT INTO meta SELECT 'effective', value -> '$.settings' FROM meta WHERE key = 'about';
  INSERT INTO meta VALUES ('listed', 'true'), ('schema', '4');
  DELETE FROM meta WHERE key = 'about' OR key LIKE 'turn:%' OR key LIKE 'text:%' OR key LIKE 'result:%';`;

const tables = (id: string) =>
  runInDurableObject(objectOf(id), (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name",
      )
      .toArray()
      .map((row) => row.name),
  );

it("continues a conversation of an earlier gateway", async () => {
  await publishPublic({ name: "earlier", body: "Words of long ago." });
  const id = await conversationOf(null);
  const route = `/api/v1/conversations/${id}`;
  const load = { calls: [{ id: "call_1", name: "load_skill", arguments: { skill_name: "earlier" } }] };
  const send = async <T>(method: string, path: string, json?: object) => {
    const answer = await call(method, `${route}${path}`, json === undefined ? {} : { json });
    expect(answer.ok).toBe(true);
    return answer.json<T>();
  };
  await send("PUT", "", { retention_turns: 3, metadata: { kept: "as it was" } });
  await send("POST", "/turns", { key: "m1" });
  const first = await send<{ results: object[] }>("POST", "/tool-calls", load);
  const [status, prompt] = [await send("GET", ""), await send("GET", "/prompt")];
  await runInDurableObject(objectOf(id), (_, { storage }) => storage.sql.exec(EARLIER).toArray());
  await evict(id);

  expect(await send("GET", "")).toEqual(status);
  expect(await send("GET", "/prompt")).toEqual(prompt);
  expect((await send<{ results: object[] }>("POST", "/tool-calls", load)).results).toEqual(first.results);
  expect(await send("POST", "/turns", { key: "m1" })).toMatchObject({ turn: 1 });
  expect(await send("POST", "/turns", { key: "m2" })).toMatchObject({ turn: 2 });
  expect(await send("POST", "/turns", { key: "m1" })).toMatchObject({ turn: 2 });
  expect(await send("GET", "/at/1")).toMatchObject({ active: [{ skill: "earlier" }] });
  await send("PUT", "", { retention_turns: 2 });
  const page = await Page.greeted(id);
  const { request_id } = await askPage(id);
  expect(await page.next("skill:request")).toMatchObject({ request_id });
  await evict(id);
  expect(await send("GET", "")).toMatchObject({
    turn: 2,
    settings: { retention_turns: 2 },
    pending: [{ request_id }],
    active: [{ skill: "earlier" }],
  });
  for (const turn of [3, 4]) expect(await send("POST", "/turns", {})).toMatchObject({ turn });
  expect(await send("GET", "")).toMatchObject({ active: [] });
  const texts = await runInDurableObject(objectOf(id), (_, { storage }) =>
    storage.sql.exec("SELECT * FROM texts").toArray(),
  );
  expect(texts).toEqual([]);
});

it("makes no table before it has a row", async () => {
  const id = await conversationOf(null);
  expect(await tables(id)).toEqual(["events", "meta"]);
  await askPage(id);
  expect(await tables(id)).toEqual(["events", "meta", "requests"]);
});

it("distinguishes keys of turns that look like parts of a value", async () => {
  const id = await conversationOf(null);
  const turn = async (key: string) =>
    (await (await call("POST", `/api/v1/conversations/${id}/turns`, { json: { key } })).json<{ turn: number }>()).turn;
  expect([await turn("a"), await turn("a/001"), await turn("a/002")]).toEqual([1, 2, 3]);
  expect([await turn("a"), await turn("a/001")]).toEqual([3, 3]);
  await evict(id);
  expect([await turn("a"), await turn("a/002"), await turn("b")]).toEqual([3, 3, 4]);
});

it("creates no table for an unknown conversation", async () => {
  expect((await call("GET", "/api/v1/conversations/never-made/requests")).status).toBe(404);
  expect(await tables("never-made")).toEqual([]);
});

it("reverts its caches after a rolled back change", async () => {
  const id = await conversationOf(null);
  await runInDurableObject(objectOf(id), (_, { storage }) => {
    const store = new ConversationStore(storage);
    store.keepInstructions("v1", "Kept words.", null);
    store.keepCallResult({ id: "call_1", turn: 1, request: "same" }, "kept");
    const change = () =>
      store.atomically(() => {
        store.dropInstructionsExcept([]);
        store.dropCallsBefore(2);
        store.keepInstructions("v2", "Never.", null);
        throw new Error("full");
      });
    expect(change).toThrow("full");
    expect([store.instructions("v1"), store.instructions("v2")]).toEqual(["Kept words.", null]);
    expect(store.callResult("call_1", 1, "same")).toBe("kept");
  });
});

it("has nothing of an earlier conversation with the same name", async () => {
  await publishPublic({ name: "again", body: "Words of the skill." });
  const id = "made-again";
  const begin = async () => {
    await call("PUT", `/api/v1/conversations/${id}`, { json: { format: "openai" } });
    const turn = await call("POST", `/api/v1/conversations/${id}/turns`, { json: { selected_skills: ["again"] } });
    return turn.json<{ prompt: { system: string } }>();
  };
  const first = await begin();
  expect((await call("DELETE", `/api/v1/conversations/${id}`)).status).toBe(204);
  const second = await begin();
  expect(second.prompt.system).toContain("Words of the skill.");
  expect(second.prompt).toEqual(first.prompt);
  // It was stored, not only cached.
  await evict(id);
  const prompt = await call("GET", `/api/v1/conversations/${id}/prompt`);
  expect(await prompt.json()).toEqual(second.prompt);
});
