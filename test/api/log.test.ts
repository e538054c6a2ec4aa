// The event log of a conversation, which callers can make long: events that are not written, and the cost of reading it.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { SNAPSHOT_EVERY } from "../../src/domain/conversation/snapshot";
import { CONVERSATION_LIMITS } from "../../src/domain/limits";
import { ConversationStore } from "../../src/storage/object/conversation";
import { call } from "../support/call";
import { evict, objectOf } from "../support/clock";
import { seedSkill } from "../support/registry";

interface Body {
  turn: number;
  active: { skill: string }[];
  tokens: object;
  events: { seq: number; type: string }[];
  next_cursor: number | null;
  results: { isError?: boolean }[];
}

let made = 0;

async function talk(settings: object = {}) {
  const id = `log-${made++}`;
  const send = async (method: string, path: string, json?: unknown): Promise<Body> => {
    const response = await call(method, `/api/v1/conversations/${id}${path}`, { json });
    expect(response.status).toBeLessThan(300);
    return response.json();
  };
  await send("PUT", "", { delivery: "system", ...settings });
  await send("POST", "/turns", {});
  const run = (...calls: [tool: string, skill_name: string][]) =>
    send("POST", "/tool-calls", {
      calls: calls.map(([name, skill_name], n) => ({ id: `${made++}-${n}`, name, arguments: { skill_name } })),
    });
  return { id, send, run };
}

/** Starts counting the rows that are read from the log. */
async function watchLog(id: string): Promise<() => Promise<number>> {
  const cursors: { rowsRead: number }[] = [];
  await runInDurableObject(objectOf(id), (_, { storage }) => {
    const { sql } = storage;
    const exec = sql.exec.bind(sql);
    sql.exec = ((query: string, ...bindings: unknown[]) => {
      const cursor = exec(query, ...bindings);
      if (/\bevents\b/.test(query)) cursors.push(cursor);
      return cursor;
    }) as typeof sql.exec;
  });
  return () => runInDurableObject(objectOf(id), () => cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0));
}

it("knows no turn of a conversation that never began one", async () => {
  await call("PUT", "/api/v1/conversations/never-begun", { json: {} });
  const answer = await call("GET", "/api/v1/conversations/never-begun/at/1");
  expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([404, "TURN_NOT_FOUND"]);
});

describe("the log", () => {
  it.each(["load_skill", "skill"])("has nothing of a %s that changes nothing", async (tool) => {
    const [base, wiki] = [`base-${tool}`, `wiki-${tool}`];
    await seedSkill({ name: base });
    await seedSkill({ name: wiki, dependencies: [base] });
    const { send, id } = await talk({ tool_style: tool });
    const load = async (...names: string[]) => {
      const field = tool === "skill" ? "skill" : "skill_name";
      const calls = names.map((name) => ({ id: `c${made++}`, name: tool, arguments: { [field]: name } }));
      return send("POST", "/tool-calls", { calls });
    };
    const types = async () => (await send("GET", "/events")).events.map(({ type }) => type);
    await load(wiki);
    expect(await types()).toEqual(["turn", "loaded"]);
    const before = await send("GET", "");
    await load(...Array.from({ length: 64 }, () => wiki));
    await load(wiki);
    expect(await types()).toEqual(["turn", "loaded"]);
    expect(await send("GET", "")).toEqual(before);
    // Explicitly loading a dependency is a change: the skill now stays active without the skill that required it.
    await load(base);
    await load(base);
    expect(await types()).toEqual(["turn", "loaded", "loaded"]);
    // In another turn, the first load is recorded again.
    await send("POST", "/turns", {});
    await load(wiki);
    await load(wiki);
    expect(await types()).toEqual(["turn", "loaded", "loaded", "turn", "loaded"]);
    await evict(id);
    expect(await types()).toHaveLength(5);
  });

  it("still shows the last use", async () => {
    for (const name of ["a1", "b1", "c1"]) await seedSkill({ name });
    const { run, send } = await talk({ max_active_skills: 2 });
    await run(["load_skill", "a1"], ["load_skill", "b1"], ["load_skill", "a1"], ["load_skill", "a1"]);
    const { active } = await run(["load_skill", "c1"]);
    expect(active.map(({ skill }) => skill)).toEqual(["a1", "c1"]);
    expect((await send("GET", "/events")).events.map(({ type }) => type)).toEqual([
      "turn",
      "loaded",
      "loaded",
      "touched",
      "loaded",
      "unloaded",
    ]);
  });
});

describe("a long log", () => {
  it("is read from the newest snapshot on, now and for any turn of the past", { tags: ["slow"] }, async () => {
    for (const name of ["long-a", "long-b"]) await seedSkill({ name });
    const { id, run, send } = await talk();
    const then: Body[] = [];
    for (let turn = 1; turn <= 4; turn++) {
      for (let n = 0; n < 3 + turn; n++)
        await run(
          ...Array.from({ length: 32 }, () => [
            ["load_skill", "long-a"] as [string, string],
            ["unload_skill", "long-a"] as [string, string],
          ]).flat(),
        );
      if (turn % 2 === 0) await run(["load_skill", "long-b"]);
      then.push(await send("GET", `/at/${turn}`));
      await send("POST", "/turns", {});
    }
    const now = await send("GET", "");
    const { events } = await send("GET", "/events?limit=1000&after=800");
    expect(events.at(-1)?.seq).toBeGreaterThan(4 * SNAPSHOT_EVERY);

    await evict(id);
    const rows = await watchLog(id);
    expect(await send("GET", "")).toEqual(now);
    expect(await rows()).toBeGreaterThan(0);
    expect(await rows()).toBeLessThanOrEqual(2 * SNAPSHOT_EVERY);
    for (const [index, seen] of then.entries()) {
      const before = await rows();
      expect(await send("GET", `/at/${index + 1}`)).toEqual(seen);
      // The state, and the events of the turn for its trace.
      expect((await rows()) - before).toBeLessThanOrEqual(4 * SNAPSHOT_EVERY);
    }
  });

  it("of an earlier gateway is folded once, and then no more", async () => {
    await seedSkill({ name: "old-a" });
    const { id, run, send } = await talk();
    await run(["load_skill", "old-a"]);
    await send("POST", "/turns", {});
    const [now, first] = [await send("GET", ""), await send("GET", "/at/1")];
    await runInDurableObject(objectOf(id), (_, { storage }) => {
      const touched = JSON.stringify({ type: "touched", turn: 2, name: "old-a" });
      for (let n = 0; n < 4 * SNAPSHOT_EVERY; n++)
        storage.sql.exec("INSERT INTO events (at, event) VALUES (0, ?)", touched);
      storage.sql.exec("DROP TABLE IF EXISTS snapshots");
      storage.sql.exec("DROP TABLE IF EXISTS passes");
    });
    await evict(id);
    expect(await send("GET", "")).toEqual(now);
    await evict(id);
    const rows = await watchLog(id);
    expect(await send("GET", "")).toEqual(now);
    expect(await rows()).toBeLessThanOrEqual(2 * SNAPSHOT_EVERY);
    // The first request for a turn stores the positions at which all turns begin.
    expect(await send("GET", "/at/1")).toEqual(first);
    const before = await rows();
    expect(await send("GET", "/at/1")).toEqual(first);
    expect((await rows()) - before).toBeLessThanOrEqual(2 * SNAPSHOT_EVERY);
  });

  it("is not believed where a snapshot is of another shape", async () => {
    await seedSkill({ name: "shape-a" });
    const { id, run, send } = await talk();
    for (let n = 0; n < 10; n++)
      await run(
        ...Array.from({ length: 16 }, () => [
          ["load_skill", "shape-a"] as [string, string],
          ["unload_skill", "shape-a"] as [string, string],
        ]).flat(),
      );
    const now = await send("GET", "");
    await runInDurableObject(objectOf(id), (_, { storage }) => {
      const { count } = storage.sql.exec<{ count: number }>("SELECT count(*) AS count FROM snapshots").one();
      expect(count).toBeGreaterThan(0);
      storage.sql.exec("UPDATE snapshots SET shape = shape + 1, state = '{}'");
    });
    await evict(id);
    expect(await send("GET", "")).toEqual(now);
  });

  it("ends where the conversation is full, which can be read and deleted still", async () => {
    await seedSkill({ name: "full-a" });
    const { id, send } = await talk();
    const bytes = vi.spyOn(ConversationStore.prototype, "bytes").mockReturnValue(CONVERSATION_LIMITS.storedBytes + 1);
    const refused = await call("POST", `/api/v1/conversations/${id}/turns`, { json: {} });
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { code: "QUOTA_EXCEEDED", limit: CONVERSATION_LIMITS.storedBytes, used: CONVERSATION_LIMITS.storedBytes + 1 },
    ]);
    expect((await send("GET", "")).turn).toBe(1);
    bytes.mockRestore();
    expect((await send("POST", "/turns", {})).turn).toBe(2);
  });

  it("is returned in pages of limited size", async () => {
    const { id, send } = await talk();
    await runInDurableObject(objectOf(id), (_, { storage }) => {
      const event = JSON.stringify({ type: "touched", turn: 1, name: "x".repeat(400_000) });
      for (let n = 0; n < 8; n++) storage.sql.exec("INSERT INTO events (at, event) VALUES (0, ?)", event);
    });
    const seqs: number[] = [];
    let pages = 0;
    for (let after: number | null = 0; after !== null; pages++) {
      const page: Body = await send("GET", `/events?limit=1000&after=${after}`);
      seqs.push(...page.events.map(({ seq }) => seq));
      after = page.next_cursor;
    }
    expect(seqs).toEqual(Array.from({ length: 9 }, (_, n) => n + 1));
    expect(pages).toBeGreaterThan(2);
  });
});
