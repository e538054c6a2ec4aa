import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../../support/call";
import { seedGhost } from "../../support/registry";
import { activeIn, BASE, type Body, history, load, someone } from "../../support/users";

afterEach(() => vi.restoreAllMocks());

describe("a conversation", () => {
  it("is created, known again, merged by POST and replaced by PUT", async () => {
    const { send, get } = someone(undefined, {});
    const made = await send("POST", "", {});
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ id: expect.stringMatching(/^cnv_/), turn: 0, active: [], pending: [], mcp: [] });

    const named = await send("POST", "", { id: "a:1.b_c-d", retention_turns: 2, shell: "Code" });
    expect([named.status, named.body.id]).toEqual([201, "a:1.b_c-d"]);
    const again = await send("POST", "", { id: "a:1.b_c-d", retention_turns: 3 });
    expect([again.status, again.body.settings]).toEqual([200, { retention_turns: 3, shell: "Code" }]);
    const put = await send("PUT", "/a:1.b_c-d", { format: "openai" });
    expect([put.status, put.body.settings]).toEqual([200, { format: "openai" }]);
    expect((await get("/a:1.b_c-d")).settings).toEqual({ format: "openai" });
    expect((await send("PUT", "/new", {})).status).toBe(201);
    expect((await send("POST", "")).status).toBe(201);
  });

  it.each<[string, string, unknown, string[]]>([
    ["POST", "", { id: "a b" }, ["id"]],
    ["POST", "", { id: "x".repeat(129) }, ["id"]],
    ["POST", "", { name: "x", retention: 3 }, ["name", "retention"]],
    [
      "POST",
      "",
      { retention_turns: -1, delivery: "mail", tool_mode: "", max_active_skills: 0 },
      ["delivery", "max_active_skills", "retention_turns", "tool_mode"],
    ],
    ["POST", "", { ghost: "g", spec: {} }, ["spec"]],
    ["POST", "", { spec: { skills: ["a"], preload_skills: ["b"] } }, ["spec.preload_skills[0]"]],
    ["POST", "", { spec: { skills: ["a@what", "b", "b"] } }, ["spec.skills[0]", "spec.skills[2]"]],
    ["POST", "", { spec: { prompt: "x" } }, ["spec.prompt"]],
    ["PUT", "/a%20b", {}, ["id"]],
    ["PUT", "/x", { id: "x" }, ["id"]],
    ["POST", "/x/turns", { keys: "1", selected_skills: "a" }, ["keys", "selected_skills"]],
    ["POST", "/x/turns", { conversation: { colour: "red" } }, ["conversation.colour"]],
    ["POST", "/x/tool-calls", { call: [] }, ["call", "calls"]],
    ["POST", "/x/tool-calls", { calls: [{ id: "1" }, { id: "2", name: "t" }, {}] }, ["calls.0", "calls.2"]],
    ["POST", "/x/restore", { messages: [] }, ["history", "messages"]],
    ["GET", "/x/events?after=-1&limit=0", undefined, ["after", "limit"]],
    ["GET", "/x/at/now", undefined, ["turn"]],
    ["GET", "?limit=101&cursor=x", undefined, ["limit"]],
    ["GET", "?cursor=x", undefined, ["cursor"]],
  ])("is not touched by a bad request: %s %s %j", async (method, path, json, wrong) => {
    const { send, get, put } = someone(undefined, {});
    await put("/x", {});
    const answer = await send(method, path, json);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.code).toBe("INVALID_REQUEST");
    expect(answer.body.issues.map((issue) => issue.path.replace(/^(body|query|param)\./, "")).sort()).toEqual(wrong);
    const after = await get("");
    expect(after.items.map((item) => item.id)).toEqual(["x"]);
    expect((await get("/x")).settings).toEqual({});
  });

  it("needs a ghost that is there", async () => {
    const { send, name, put } = someone(undefined, {});
    const refused = await send("PUT", "/x", { ghost: "researcher" });
    expect([refused.status, refused.body.code]).toEqual([404, "GHOST_NOT_FOUND"]);
    expect((await send("GET", "/x")).status).toBe(404);
    const id = await seedGhost(name, "researcher", { systemPrompt: "You research." });
    await seedGhost("somebody else", "stranger", {});
    expect((await send("PUT", "/x", { ghost: "stranger" })).status).toBe(404);
    expect((await put("/x", { ghost: "researcher" })).ghost).toBe("researcher");
    const turn = await put("/y", { ghost: id });
    expect(turn.ghost).toBe(id);
  });

  it("is listed, newest first, page by page, with the ghost it has now", async () => {
    const { put, get, name } = someone(undefined, {});
    await seedGhost(name, "first", {});
    await seedGhost(name, "second", {});
    for (const id of ["a", "b", "c", "d", "e"]) await put(`/${id}`, { ghost: "first" });
    await put("/c", { ghost: "second" });
    await put("/d", {});
    const pages: Body[] = [];
    for (let cursor = ""; pages.length === 0 || cursor !== ""; ) {
      const page = await get(`?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      pages.push(page);
      cursor = String(page.next_cursor ?? "");
    }
    expect(pages.map((page) => page.items.map((item) => `${item.id} ${item.ghost}`))).toEqual([
      ["e first", "d null"],
      ["c second", "b first"],
      ["a first"],
    ]);
    expect((await someone(undefined, {}).get("")).items).toEqual([]);
  });

  it("has a tag that changes with it", async () => {
    const { put, send, turn } = someone(undefined, {});
    await put("/x", {});
    const { headers } = await send("GET", "/x");
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^"/);
    const same = await send("GET", "/x", undefined, { "if-none-match": `"other", W/${etag}` });
    expect([same.status, same.text, same.headers.get("etag")]).toEqual([304, "", etag]);
    await turn("x");
    expect((await send("GET", "/x", undefined, { "if-none-match": etag })).status).toBe(200);
  });

  it("is deleted with everything", async () => {
    const { put, send, turn, load, seed, stub, get } = someone(undefined, {});
    await seed({ name: "wiki" });
    await put("/x", { retention_turns: 2 });
    await turn("x");
    await load("x", "wiki");
    expect((await send("DELETE", "/x")).status).toBe(204);
    expect((await send("GET", "/x")).status).toBe(404);
    expect((await send("DELETE", "/x")).status).toBe(404);
    expect((await get("")).items).toEqual([]);
    await runInDurableObject(stub("x"), async (_, state) => {
      expect([
        ...state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'"),
      ]).toEqual([]);
      expect(await state.storage.getAlarm()).toBeNull();
    });
    expect(await put("/x", {})).toMatchObject({ turn: 0, active: [], settings: {} });
  });

  it("deleted during requests, returns 404 to them", async () => {
    const { name, send, seed } = someone(undefined, {});
    for (let round = 0; round < 5; round++) {
      await send("PUT", "/x", {});
      await send("POST", "/x/turns", {});
      // Changes the catalog, so that every conversation reads and stores it again.
      await seed({ name: `skill-${round}` });
      const answers = await Promise.all([
        send("DELETE", "/x"),
        ...["/x/turns", "/x/turns", "/x/turns"].map((path) => send("POST", path, {})),
        ...["/x", "/x/prompt", "/x/tools"].map((path) => send("GET", path)),
        call("GET", "/api/tasks/x/skills", { as: name }),
        call("GET", "/api/tasks/x/skills", { as: name }),
      ]);
      for (const { status } of answers) expect([200, 204, 404]).toContain(status);
    }
  });

  it("ends when it was idle for CONVERSATION_IDLE_DAYS, and a history brings it back", async () => {
    const { put, send, turn, load, seed, stub, get } = someone();
    await seed({ name: "wiki" });
    await put("/x", {});
    const day = 24 * 60 * 60_000;
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      vi.setSystemTime(start + 20 * day);
      await turn("x");
      await load("x", "wiki");
      vi.setSystemTime(start + 31 * day);
      // Thirty days after its creation, but used since then: the alarm sets a later check.
      expect(await runDurableObjectAlarm(stub("x"))).toBe(true);
      expect(activeIn(await get("/x"))).toEqual(["wiki"]);
      vi.setSystemTime(start + 51 * day);
      expect(await runDurableObjectAlarm(stub("x"))).toBe(true);
      expect((await send("GET", "/x")).status).toBe(404);
      expect((await get("")).items).toEqual([]);
      expect(await runDurableObjectAlarm(stub("x"))).toBe(false);
    } finally {
      vi.useRealTimers();
    }
    const back = await turn("x", { conversation: {}, history: history("none", "wiki") });
    expect(back).toMatchObject({ turn: 3, active: [{ skill: "wiki", remaining: 5, loaded_in_turn: 2 }] });
  });

  it("of another user is as one that never was, and asking writes nothing", async () => {
    const owner = someone(undefined, {});
    const stranger = someone(undefined, {});
    await owner.put("/secret", {});
    await owner.turn("secret");
    const routes: [string, string, unknown?][] = [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/turns", {}],
      ["GET", "/prompt"],
      ["GET", "/tools"],
      ["POST", "/tool-calls", { calls: [load("wiki")] }],
      ["DELETE", "/tool-calls/1"],
      ["POST", "/restore", { history: [] }],
      ["GET", "/events"],
      ["GET", "/at/1"],
    ];
    for (const [method, path, json] of routes) {
      const ask = (id: string) => stranger.send(method, `/${id}${path}`, json, { "x-request-id": "same" });
      const theirs = await ask("secret");
      const none = await ask("never-was");
      expect([theirs.status, theirs.text], path).toEqual([none.status, none.text]);
      expect([theirs.status, theirs.body.code], path).toEqual([404, "CONVERSATION_NOT_FOUND"]);
    }
    const streamed = await stranger.send("POST", "/secret/tool-calls", { calls: [] }, { accept: "text/event-stream" });
    expect(streamed.status).toBe(404);
    const task = await call("GET", "/api/tasks/secret/skills", { as: stranger.name });
    expect(task.status).toBe(404);
    await runInDurableObject(stranger.stub("secret"), async (_, state) => {
      expect([...state.storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'")]).toEqual([]);
      expect(await state.storage.getAlarm()).toBeNull();
    });
    expect((await stranger.get("")).items).toEqual([]);
    expect(await owner.get("/secret")).toMatchObject({ turn: 1 });
    // Another user can create a conversation with the same id.
    expect((await stranger.send("PUT", "/secret", {})).status).toBe(201);
  });

  it("belongs to a user, not to a key", async () => {
    const [one, two] = [await keyFor("keys-user"), await keyFor("keys-user")];
    expect((await call("PUT", `${BASE}/shared`, { key: one, json: {} })).status).toBe(201);
    expect((await call("GET", `${BASE}/shared`, { key: two })).status).toBe(200);
    expect((await call("GET", `${BASE}/shared`, { as: "keys-user" })).status).toBe(200);
  });
});
