import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { seedGhost } from "../../support/registry";
import { activeIn, history, read, someone } from "../../support/users";

describe("a turn", () => {
  it("begins once for a key, and settings hold from the next one", async () => {
    const { put, turn, load, seed } = someone();
    await seed({ name: "wiki", version: "1.0.0" });
    await put("/x", { retention_turns: 3 });
    expect(await turn("x", { key: "m1" })).toMatchObject({ turn: 1, active: [], loaded_skills: [] });
    expect(await load("x", "wiki")).toMatchObject({ loaded_skills: ["wiki"] });
    await put("/x", { retention_turns: 1 });
    const same = await turn("x", { key: "m1" });
    expect(same).toMatchObject({
      turn: 1,
      loaded_skills: ["wiki"],
      active: [{ skill: "wiki", version: "1.0.0", remaining: 3, reason: "loaded", loaded_in_turn: 1 }],
    });
    expect(await turn("x", { key: "m2" })).toMatchObject({ turn: 2, active: [{ remaining: 1 }] });
    expect(await turn("x")).toMatchObject({ turn: 3, active: [] });
    expect(await turn("x", { key: "m1" })).toMatchObject({ turn: 3 });
  });

  it("makes the conversation it is asked for, also twice at once", async () => {
    const { turn, name, get } = someone(undefined, {});
    await seedGhost(name, "g", { systemPrompt: "Hi." });
    const both = await Promise.all([1, 2, 3].map(() => turn("x", { conversation: { ghost: "g" } })));
    expect(both.map((answer) => answer.turn).sort()).toEqual([1, 2, 3]);
    expect((await get("/x/events")).events.map((event) => event.turn)).toEqual([1, 2, 3]);
    expect((await turn("x", { conversation: { retention_turns: 7 } })).prompt?.system).toBe("Hi.");
    expect((await get("/x")).settings).toEqual({ ghost: "g", retention_turns: 7 });
  });

  it("answers an Idempotency-Key with what it answered before, and has no effect again", async () => {
    const { send, get, seed, load, turn } = someone();
    await seed({ name: "wiki" });
    const key = { "idempotency-key": "k1" };
    const first = await send("POST", "/x/turns", { conversation: { retention_turns: 1 } }, key);
    expect(first.body.turn).toBe(1);
    await send("POST", "", { id: "x", retention_turns: 9 });
    await load("x", "wiki");
    await turn("x");
    const again = await send("POST", "/x/turns", { conversation: { retention_turns: 1 } }, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    const other = await send("POST", "/x/turns", { conversation: { retention_turns: 2 } }, key);
    expect([other.status, other.body.code]).toEqual([409, "IDEMPOTENCY_KEY_REUSED"]);
    expect(await get("/x")).toMatchObject({ turn: 2, settings: { retention_turns: 9 } });
    expect((await send("POST", "/x/turns", {}, { "idempotency-key": "" })).status).toBe(400);
  });

  it("answers the creation under a key twice in the same way", async () => {
    const { send, get } = someone();
    const key = { "idempotency-key": "create" };
    const first = await send("POST", "", { retention_turns: 1 }, key);
    const again = await send("POST", "", { retention_turns: 1 }, key);
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect((await send("POST", "", { retention_turns: 2 }, key)).status).toBe(409);
    expect((await get("")).items.map((item) => item.id)).toEqual([first.body.id]);
    expect((await get(`/${first.body.id}`)).settings).toEqual({ retention_turns: 1 });
  });

  it("restores a history once, when there is no turn yet", async () => {
    const { put, turn, seed } = someone();
    await seed({ name: "wiki" });
    await seed({ name: "draw" });
    await put("/x", {});
    const first = await turn("x", { history: history("draw", "none", "wiki") });
    expect(first).toMatchObject({
      turn: 4,
      active: [
        { skill: "draw", remaining: 3 },
        { skill: "wiki", remaining: 5 },
      ],
    });
    expect(first.loaded_skills).toEqual([]);
    const second = await turn("x", { history: history("wiki") });
    expect(second).toMatchObject({
      turn: 5,
      active: [
        { skill: "draw", remaining: 2 },
        { skill: "wiki", remaining: 4 },
      ],
    });
  });

  it("preloads, selects for once, and warns of what it cannot have", async () => {
    const { put, turn, seed } = someone();
    await seed({ name: "wiki" });
    await seed({ name: "draw" });
    await put("/x", { spec: { skills: ["wiki", "draw", "gone"], preload_skills: ["wiki", "gone"] } });
    const first = await turn("x", { selected_skills: ["draw", "unknown"] });
    expect(first.active).toMatchObject([
      { skill: "wiki", reason: "preloaded", remaining: null },
      { skill: "draw", reason: "selected", remaining: 0 },
    ]);
    expect(first.warnings.map((warning) => `${warning.code} ${warning.path}`)).toEqual([
      "SKILL_UNAVAILABLE gone",
      "PRELOAD_UNAVAILABLE gone",
      "SELECTED_UNAVAILABLE unknown",
    ]);
    expect(activeIn(await turn("x"))).toEqual(["wiki"]);
  });

  it("uses the retention of the conversation, else of the ghost, else of the gateway", async () => {
    const { put, turn, load, seed, name } = someone();
    await seed({ name: "wiki" });
    await seedGhost(name, "g", { skills: ["*"], retentionTurns: 2 });
    const remaining = async (id: string, settings: object) => {
      await put(`/${id}`, settings);
      await turn(id);
      return (await load(id, "wiki")).active[0]?.remaining;
    };
    expect(await remaining("a", { ghost: "g", retention_turns: "conversation" })).toBeNull();
    expect(await remaining("b", { ghost: "g" })).toBe(2);
    expect(await remaining("c", {})).toBe(5);
    expect(await remaining("d", { retention_turns: 0 })).toBe(0);
  });
});

describe("prompt and tools", () => {
  it("are what the turn gave, under one tag", async () => {
    const { put, turn, send, load, seed } = someone();
    await seed({ name: "wiki", body: "Write." });
    await put("/x", { format: "openai" });
    const begun = await turn("x");
    for (const [path, part] of [
      ["prompt", begun.prompt],
      ["tools", { tools: begun.tools }],
    ] as const) {
      const plain = await send("GET", `/x/${path}`);
      expect(plain.body).toEqual(part);
      expect(plain.headers.get("etag")).toBe(`"${begun.etag}"`);
      const same = await send("GET", `/x/${path}`, undefined, { "if-none-match": `W/"${begun.etag}", "x"` });
      expect([same.status, same.text]).toEqual([304, ""]);
      expect((await send("GET", `/x/${path}?format=anthropic`)).headers.get("etag")).not.toBe(`"${begun.etag}"`);
      expect((await send("GET", `/x/${path}?format=xml`)).status).toBe(400);
    }
    const { etag } = await load("x", "wiki");
    expect(etag).not.toBe(begun.etag);
    const changed = await send("GET", "/x/prompt", undefined, { "if-none-match": `"${begun.etag}"` });
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, `"${etag}"`]);
    expect(changed.body.system).toContain("## Skill: wiki\n\nWrite.\n</skill>");
  });

  it("stay the same while nothing changes, through eviction, turns and uses", async () => {
    const { put, turn, send, load, seed, stub, calls } = someone();
    await seed({ name: "wiki" });
    await put("/x", {});
    await turn("x");
    const { etag } = await load("x", "wiki");
    const tag = async () => (await send("GET", "/x/prompt")).headers.get("etag");
    await calls("x", read("wiki"), read("wiki", { file_path: "SKILL.md" }));
    expect(await tag()).toBe(`"${etag}"`);
    await evictDurableObject(stub("x"));
    expect(await tag()).toBe(`"${etag}"`);
    expect((await turn("x")).etag).toBe(etag);
  });

  it("do not depend on an eviction before the first turn", async () => {
    const { put, get, stub, seed } = someone();
    await seed({ name: "wiki" });
    await put("/x", { spec: { systemPrompt: "Old." } });
    await put("/x", { spec: { systemPrompt: "New." } });
    const before = await get("/x/prompt");
    await evictDurableObject(stub("x"));
    expect(await get("/x/prompt")).toEqual(before);
  });
});
