// The delivery of conversations whose settings do not set one.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, it } from "vitest";
import { freeze, SNAPSHOT_SHAPE } from "../../../src/domain/conversation/snapshot";
import { stateAt } from "../../../src/services/history";
import { ConversationStore } from "../../../src/storage/object/conversation";
import { call } from "../../support/call";
import { host } from "../../support/mcp-client";
import { clearRegistry, seedSkill } from "../../support/registry";
import { BASE, load, someone } from "../../support/users";

beforeEach(clearRegistry);

interface Told {
  events: { type: string; policy: { delivery: string; tool_mode: string } }[];
}

/** The delivery that each turn ran under. */
async function deliveries(user: ReturnType<typeof someone>, id: string): Promise<string[]> {
  const answer = await call("GET", `${BASE}/${id}/events`, { as: user.name });
  const { events } = await answer.json<Told>();
  return events.filter(({ type }) => type === "turn").map(({ policy }) => policy.delivery);
}

/** A skill that is too large to be preloaded with its whole catalog. */
async function publishLarge(): Promise<void> {
  await seedSkill({ name: "wiki", scope: "public", body: "Write in plain words. ".repeat(800), tokens: 4_000 });
}

it.each(["mcp", "openai", "openai-responses", "anthropic"])(
  "is `auto` in format %s: nothing that was sent changes",
  async (format) => {
    await publishLarge();
    const user = someone(undefined, {});
    const begun = await user.turn("x", { format, conversation: {} });
    const loaded = await user.post("/x/tool-calls", { format, calls: [load("wiki")], etag: begun.etag });
    expect([loaded.changed, loaded.loaded_skills]).toEqual([false, ["wiki"]]);
    expect(JSON.stringify(loaded.results)).toContain("Write in plain words.");
    expect(JSON.stringify(begun.tools)).toContain("call_skill_tool");
    expect(await deliveries(user, "x")).toEqual(["auto"]);
  },
);

it.each([{ tool_mode: "dynamic" }, { tool_style: "skill" }])(
  "is `system` with %j, which changes the list of tools",
  async (settings) => {
    for (const format of ["openai", "anthropic"]) {
      const user = someone(undefined, {});
      await user.turn("x", { format, conversation: settings });
      expect(await deliveries(user, "x")).toEqual(["system"]);
    }
  },
);

it("is what the settings say, whatever the default", async () => {
  const user = someone(undefined, {});
  await user.turn("x", { format: "openai", conversation: { delivery: "system" } });
  await user.turn("x", { format: "openai" });
  expect(await deliveries(user, "x")).toEqual(["system", "system"]);
});

/** Changes a conversation to the stored format of gateways before 2026-11-25. */
async function makeOld(user: ReturnType<typeof someone>, id: string): Promise<void> {
  const stub = user.stub(id);
  await runInDurableObject(stub, (_, { storage }) => {
    const old = "UPDATE meta SET value = json_remove(value, '$.defaults_to_auto') WHERE key = 'about' RETURNING value";
    const [row] = storage.sql.exec<{ value: string }>(old).toArray();
    expect(row?.value).not.toContain("defaults_to_auto");
  });
  await evictDurableObject(stub);
}

it("stays `system` in a conversation from before, with turns or without, whatever else its settings become", async () => {
  const user = someone(undefined, {});
  await user.put("/begun", { format: "openai" });
  await user.put("/made", { format: "openai" });
  await makeOld(user, "begun");
  await makeOld(user, "made");
  await user.turn("begun");
  await user.put("/begun", { format: "openai", title: "Another" });
  await evictDurableObject(user.stub("begun"));
  await user.turn("begun");
  await user.turn("made", { conversation: { retention_turns: 2 } });
  expect(await deliveries(user, "begun")).toEqual(["system", "system"]);
  expect(await deliveries(user, "made")).toEqual(["system"]);
  // Existing conversations behave as before: format `anthropic` implies `auto`, and `auto` can be set explicitly.
  await user.turn("made", { format: "anthropic" });
  await user.turn("begun", { conversation: { delivery: "auto" } });
  expect(await deliveries(user, "made")).toEqual(["system", "auto"]);
  expect(await deliveries(user, "begun")).toEqual(["system", "system", "auto"]);
});

it("stays what it was where the state is folded from a snapshot", async () => {
  const user = someone(undefined, {});
  await user.put("/long", { format: "openai" });
  await makeOld(user, "long");
  await user.turn("long");
  await runInDurableObject(user.stub("long"), (_, { storage }) => {
    const store = new ConversationStore(storage);
    store.log.keepSnapshot(store.log.last(), SNAPSHOT_SHAPE, freeze(stateAt(store)));
  });
  await evictDurableObject(user.stub("long"));
  await user.turn("long");
  expect(await deliveries(user, "long")).toEqual(["system", "system"]);
});

it("is `system` in a turn that an MCP host begins, whose list of tools follows the servers", async () => {
  const user = someone(undefined, {});
  const client = await host("/mcp/hosted", user.name);
  await client.listTools();
  await client.close();
  expect(await deliveries(user, "hosted")).toEqual(["system"]);
  await user.turn("hosted", { format: "openai" });
  expect(await deliveries(user, "hosted")).toEqual(["system", "auto"]);
});
