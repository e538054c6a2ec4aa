// Conversations that an earlier gateway made: they open, and can do what is new.

import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { ConversationStore } from "../../../src/storage/object/conversation";
import { call } from "../../support/call";
import { evict, objectOf } from "../../support/clock";
import { askPage, conversationOf, Page } from "../../support/page";
import { publishPublic } from "../../support/talk";

const NEW = ["passes", "requests", "sequence", "snapshots", "tickets", "upstreams"];

const tables = (id: string) =>
  runInDurableObject(objectOf(id), (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .toArray()
      .map((row) => row.name)
      .filter((name) => NEW.includes(name)),
  );

it("adds what is missing when a conversation of version 1 is opened, and keeps the rest", async () => {
  const id = await conversationOf(null);
  await call("POST", `/api/v1/conversations/${id}/turns`, { json: { key: "m1" } });
  await runInDurableObject(objectOf(id), (_, { storage }) => {
    for (const name of NEW) storage.sql.exec(`DROP TABLE ${name}`);
    storage.sql.exec("DELETE FROM meta WHERE key = 'schema'");
  });
  await evict(id);
  expect(await tables(id)).toEqual([]);
  expect(await (await call("GET", `/api/v1/conversations/${id}`)).json()).toMatchObject({ turn: 1, pending: [] });
  expect(await tables(id)).toEqual(NEW);
  const page = await Page.greeted(id);
  const { request_id } = await askPage(id);
  expect(await page.next("skill:request")).toMatchObject({ request_id });
  await evict(id);
  expect(await (await call("GET", `/api/v1/conversations/${id}`)).json()).toMatchObject({ pending: [{ request_id }] });
});

it("leaves a conversation of a later gateway as it is", async () => {
  const id = await conversationOf(null);
  await runInDurableObject(objectOf(id), (_, { storage }) => {
    storage.sql.exec("UPDATE meta SET value = '99' WHERE key = 'schema'");
  });
  await evict(id);
  expect((await call("GET", `/api/v1/conversations/${id}`)).status).toBe(200);
});

it("makes no table for a conversation that nobody created", async () => {
  expect((await call("GET", "/api/v1/conversations/never-made/requests")).status).toBe(404);
  expect(await tables("never-made")).toEqual([]);
});

it("forgets what a change that was rolled back had done", async () => {
  const id = await conversationOf(null);
  await runInDurableObject(objectOf(id), (_, { storage }) => {
    const store = new ConversationStore(storage);
    store.keepInstructions("v1", "Kept words.");
    store.keepCallResult("call_1", 1, "same", "kept");
    const change = () =>
      store.atomically(() => {
        store.dropInstructionsExcept([]);
        store.dropCallsBefore(2);
        store.keepInstructions("v2", "Never.");
        throw new Error("full");
      });
    expect(change).toThrow("full");
    expect([store.instructions("v1"), store.instructions("v2")]).toEqual(["Kept words.", null]);
    expect(store.callResult("call_1", 1, "same")).toBe("kept");
  });
});

it("has nothing of the conversation that had its name before", async () => {
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
  // It was stored, too, and not only remembered.
  await evict(id);
  const prompt = await call("GET", `/api/v1/conversations/${id}/prompt`);
  expect(await prompt.json()).toEqual(second.prompt);
});
