import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { breakWith, Faults, NEVER_WORKS } from "../support/faults";
import {
  clearRegistry,
  deleteSkill,
  moveSkill,
  type SeededSkill,
  seedGhost,
  seedSkill,
  seedVersion,
} from "../support/registry";

const BASE = "/api/v1/conversations";

interface Active {
  skill: string;
  version: string | null;
  remaining: number | null;
  reason: string;
  loaded_in_turn: number;
}
interface Result {
  id: string;
  name: string;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}
interface Body {
  id: string;
  code: string;
  issues: { code: string; path: string }[];
  turn: number;
  ghost: string | null;
  settings: Record<string, unknown>;
  active: Active[];
  prompt?: { system: string; messages: unknown[] };
  system: string;
  tools?: { name: string }[];
  etag: string;
  changed: boolean;
  results: Result[];
  messages: unknown[];
  unhandled: unknown[];
  loaded_skills: string[];
  warnings: { code: string; path?: string }[];
  items: { id: string; ghost: string | null }[];
  next_cursor: string | number | null;
  events: { seq: number; type: string; turn: number; at: string }[];
}
interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

let users = 0;

/** A user of their own, with a way to talk about conversations. */
function someone(name = `user-${users++}`) {
  const send = async (
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await call(method, `${BASE}${path}`, { as: name, json, headers });
    const text = await response.text();
    const body = (text.startsWith("{") ? JSON.parse(text) : {}) as Body;
    return { status: response.status, headers: response.headers, text, body };
  };
  const ok = async (method: string, path: string, json?: unknown): Promise<Body> => {
    const answer = await send(method, path, json);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  return {
    name,
    send,
    get: (path: string) => ok("GET", path),
    put: (path: string, json: unknown) => ok("PUT", path, json),
    post: (path: string, json?: unknown) => ok("POST", path, json),
    turn: (id: string, json: object = {}) => ok("POST", `/${id}/turns`, json),
    calls: (id: string, ...calls: object[]) => ok("POST", `/${id}/tool-calls`, { calls }),
    load: (id: string, ...names: string[]) =>
      ok("POST", `/${id}/tool-calls`, { calls: names.map((skill) => load(skill)) }),
    stub: (id: string): DurableObjectStub => env.CONVERSATIONS.getByName(JSON.stringify([name, id])),
    seed: (skill: Parameters<typeof seedSkill>[0]) => seedSkill({ scope: `user:${name}`, ...skill }),
  };
}

let calls = 0;
const named = (name: string, args: object) => ({ id: `call-${calls++}`, name, arguments: args });
const load = (skill: string) => named("load_skill", { skill_name: skill });
const read = (skill: string, more: object = {}) => named("read_skill", { skill_name: skill, ...more });
const textOf = (body: Body) => body.results.map((result) => result.content[0]?.text ?? "");
const activeIn = (body: Body) => body.active.map((active) => active.skill);
const history = (...skills: string[]) =>
  skills.flatMap((skill) => [
    { role: "user", content: "Do it" },
    { role: "assistant", content: "Done.", loaded_skills: [skill] },
  ]);

afterEach(() => vi.restoreAllMocks());

describe("a conversation", () => {
  it("is created, known again, merged by POST and replaced by PUT", async () => {
    const { send, get } = someone();
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
    const { send, get, put } = someone();
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
    const { send, name, put } = someone();
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
    const { put, get, name } = someone();
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
    expect((await someone().get("")).items).toEqual([]);
  });

  it("has a tag that changes with it", async () => {
    const { put, send, turn } = someone();
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
    const { name, put, send, turn, load, seed, stub, get } = someone();
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
    expect(name).toBeTruthy();
  });

  it("deleted while requests are at work in it, answers them as one that is not there", async () => {
    const { name, send, seed } = someone();
    for (let round = 0; round < 5; round++) {
      await send("PUT", "/x", {});
      await send("POST", "/x/turns", {});
      // So that everybody reads the catalog anew, and keeps it.
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
      // Thirty days after it was made, but used since: it looks again later.
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
    const owner = someone();
    const stranger = someone();
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
    // The same id is free for them.
    expect((await stranger.send("PUT", "/secret", {})).status).toBe(201);
  });

  it("belongs to a user, not to a key", async () => {
    const [one, two] = [await keyFor("keys-user"), await keyFor("keys-user")];
    expect((await call("PUT", `${BASE}/shared`, { key: one, json: {} })).status).toBe(201);
    expect((await call("GET", `${BASE}/shared`, { key: two })).status).toBe(200);
    expect((await call("GET", `${BASE}/shared`, { as: "keys-user" })).status).toBe(200);
  });
});

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
    const { turn, name, get } = someone();
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

  it("takes the retention of the conversation, else of the ghost, else of the gateway", async () => {
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

describe("tool calls", () => {
  it("run loads first and in order, then the rest, and answer in the order of the calls", async () => {
    const { put, calls, seed } = someone();
    await seed({ name: "wiki", files: { "a.md": "File." } });
    await seed({ name: "draw" });
    await put("/x", { max_active_skills: 1 });
    const mine = { id: "mine", type: "function", function: { name: "get_weather", arguments: "{}" } };
    const batch = [
      read("wiki", { file_path: "a.md" }),
      load("wiki"),
      mine,
      load("draw"),
      named("unload_skill", { skill_name: "draw" }),
    ];
    const answer = await calls("x", ...batch);
    expect(answer.results.map((result) => result.id)).toEqual(
      [batch[0], batch[1], batch[3], batch[4]].map((one) => one?.id),
    );
    expect(textOf(answer)).toEqual([
      "File.",
      "Skill 'wiki' has been loaded. The instructions have been added to the system prompt.",
      "Skill 'draw' has been loaded. The instructions have been added to the system prompt. To make room, these were unloaded: wiki.",
      "Skill 'draw' has been unloaded.",
    ]);
    expect(answer.unhandled).toEqual([mine]);
    expect(answer).toMatchObject({ active: [], loaded_skills: [], changed: false });
  });

  it("begin turn 1 where there is none", async () => {
    const { put, load, get, seed } = someone();
    await seed({ name: "wiki" });
    await put("/x", {});
    expect(await load("x", "wiki")).toMatchObject({ active: [{ skill: "wiki", loaded_in_turn: 1 }] });
    expect((await get("/x")).turn).toBe(1);
  });

  it("with arguments that cannot be read or used are error results", async () => {
    const { put, calls, seed, get } = someone();
    await seed({ name: "wiki" });
    await put("/x", {});
    const answer = await calls(
      "x",
      { id: "1", type: "function", function: { name: "load_skill", arguments: '{"skill_name": "wi' } },
      { id: "2", type: "tool_use", name: "load_skill", input: ["wiki"] },
      { id: "3", name: "load_skill", arguments: { name: "wiki" } },
      { id: "4", name: "load_skill", arguments: '{"skill_name":"wiki","why":"because"}' },
    );
    expect(answer.results.map((result) => result.isError ?? false)).toEqual([true, true, true, false]);
    expect(textOf(answer)[0]).toBe("Error: The arguments of 'load_skill' cannot be read: they are not valid JSON.");
    expect(activeIn(await get("/x"))).toEqual(["wiki"]);
  });

  it.each([
    [
      "openai",
      { id: "1", type: "function", function: { name: "load_skill", arguments: '{"skill_name":"wiki"}' } },
      { role: "tool", tool_call_id: "1" },
    ],
    [
      "openai-responses",
      { type: "function_call", call_id: "1", name: "load_skill", arguments: '{"skill_name":"wiki"}' },
      { type: "function_call_output", call_id: "1" },
    ],
    [
      "anthropic",
      { type: "tool_use", id: "1", name: "load_skill", input: { skill_name: "wiki" } },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1" }] },
    ],
    [
      "mcp",
      { type: "tool-call", toolCallId: "1", toolName: "load_skill", input: { skill_name: "wiki" } },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "1" }] },
    ],
    [
      "mcp",
      { id: "1", name: "load_skill", arguments: { skill_name: "wiki" } },
      { role: "user", content: [{ type: "tool_result", toolUseId: "1" }] },
    ],
  ])("speak %s: %j", async (format, made, message) => {
    const { put, send, seed } = someone();
    await seed({ name: "wiki" });
    await put("/x", {});
    const { body } = await send("POST", "/x/tool-calls", { calls: [made], format });
    expect(body.results).toMatchObject([{ id: "1", name: "load_skill" }]);
    expect(body.messages).toMatchObject([message]);
  });

  it("give prompt and tools always without an etag, and with one only when they changed", async () => {
    const { put, turn, send, seed } = someone();
    await seed({ name: "wiki" });
    await put("/x", {});
    const { etag } = await turn("x");
    const step = (json: object) => send("POST", "/x/tool-calls", json).then((answer) => answer.body);
    const [plain, known, loaded] = [
      await step({ calls: [read("wiki")] }),
      await step({ calls: [read("wiki")], etag }),
      await step({ calls: [load("wiki")], etag }),
    ];
    expect([plain.changed, plain.etag, plain.prompt !== undefined, plain.tools !== undefined]).toEqual([
      false,
      etag,
      true,
      true,
    ]);
    expect([known.changed, known.etag, known.prompt, known.tools]).toEqual([false, etag, undefined, undefined]);
    expect([loaded.changed, loaded.prompt?.system.includes("## Skill: wiki")]).toEqual([true, true]);
    // An etag from before: changed, though this step changed nothing.
    expect(await step({ calls: [], etag })).toMatchObject({ changed: true, etag: loaded.etag, prompt: loaded.prompt });
  });

  it("with the same id run once in a turn, and without an id every time", async () => {
    const { put, calls, turn, get, seed } = someone();
    await seed({ name: "wiki" });
    await put("/x", {});
    const first = { id: "same", name: "load_skill", arguments: { skill_name: "wiki" } };
    const once = await calls("x", first);
    await calls("x", named("unload_skill", { skill_name: "wiki" }));
    expect((await calls("x", first)).results).toEqual(once.results);
    expect(activeIn(await get("/x"))).toEqual([]);
    const { id: _, ...nameless } = first;
    await calls("x", nameless);
    await calls("x", { name: "mine" }, named("unload_skill", { skill_name: "wiki" }));
    await calls("x", nameless);
    expect(activeIn(await get("/x"))).toEqual(["wiki"]);
    await calls("x", named("unload_skill", { skill_name: "wiki" }));
    await turn("x");
    await calls("x", first);
    expect(activeIn(await get("/x"))).toEqual(["wiki"]);
  });

  it("under an Idempotency-Key answer the same, and refuse another body", async () => {
    const { put, send, seed } = someone();
    await seed({ name: "wiki" });
    await put("/x", {});
    const key = { "idempotency-key": "step" };
    const first = await send(
      "POST",
      "/x/tool-calls",
      { calls: [{ name: "load_skill", arguments: { skill_name: "wiki" } }] },
      key,
    );
    const again = await send(
      "POST",
      "/x/tool-calls",
      { calls: [{ name: "load_skill", arguments: { skill_name: "wiki" } }] },
      key,
    );
    expect(again.text).toBe(first.text);
    expect((await send("POST", "/x/tool-calls", { calls: [] }, key)).status).toBe(409);
  });

  it("are streamed on request: a result each, then the whole answer", async () => {
    const { put, send, seed, get } = someone();
    await seed({ name: "wiki" });
    await put("/x", {});
    const batch = [load("wiki"), load("unknown"), read("wiki")];
    const stream = await send("POST", "/x/tool-calls", { calls: batch }, { accept: "text/event-stream" });
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    const events = stream.text
      .split("\n\n")
      .filter((event) => event !== "")
      .map((event) => {
        const [name = "", data = ""] = event.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
        return { name, data: JSON.parse(data) as Body & Result };
      });
    expect(events.map((event) => `${event.name} ${event.data.id ?? ""}`)).toEqual([
      ...batch.map((one) => `result ${one.id}`),
      "done ",
    ]);
    expect(events.at(-1)?.data.results).toEqual(events.slice(0, -1).map((event) => event.data));
    // The JSON answer to the same calls: stored results, the state as it is.
    const { body } = await send("POST", "/x/tool-calls", { calls: batch });
    expect(events.at(-1)?.data).toEqual({ ...body, changed: true });
    expect(activeIn(await get("/x"))).toEqual(["wiki"]);
    const wrong = await send("POST", "/x/tool-calls", { calls: [{}] }, { accept: "text/event-stream" });
    expect(wrong.text).toContain("event: error");
    const cancelled = await send("DELETE", "/x/tool-calls/unknown");
    expect([cancelled.status, cancelled.body.code]).toEqual([404, "CALL_NOT_FOUND"]);
  });

  it("have a tool to call tools with where the list is fixed, and leave it to the caller elsewhere", async () => {
    const { put, calls, turn, seed } = someone();
    await seed({ name: "wiki" });
    const asked = named("call_skill_tool", { name: "x__y", arguments: {} });
    await put("/fixed", { tool_mode: "fixed" });
    const begun = await turn("fixed");
    expect(begun.tools?.map((tool) => tool.name)).toEqual([
      "load_skill",
      "unload_skill",
      "read_skill",
      "execute_skill_script",
      "call_skill_tool",
    ]);
    expect((await calls("fixed", load("wiki"))).tools).toEqual(begun.tools);
    expect((await calls("fixed", asked)).results[0]?.isError).toBe(true);
    await put("/free", {});
    expect((await calls("free", asked)).unhandled).toEqual([asked]);
    expect((await calls("free", named("skill", { skill: "wiki" }))).unhandled.length).toBe(1);
  });

  it("read instructions, files by the page, and binary files as what they are", async () => {
    const { put, calls, seed, get } = someone();
    const files = { "docs/long.md": "one\ntwo\nthree\nfour", "logo.png": Uint8Array.from([137, 80, 78, 71, 0, 1]) };
    await seed({ name: "wiki", description: "Writes.", body: "Write it. 技能", files });
    await put("/x", {});
    const answer = await calls(
      "x",
      read("wiki"),
      read("wiki", { file_path: "docs/long.md", offset: 1, limit: 2 }),
      read("wiki", { file_path: "logo.png" }),
      read("wiki", { file_path: "SKILL.md" }),
      read("wiki", { file_path: "../secret" }),
    );
    expect(answer.results.map((result) => result.structuredContent)).toEqual([
      {
        skill_name: "wiki",
        description: "Writes.",
        instructions: "Write it. 技能",
        instructions_length: 12,
        files: ["SKILL.md", "docs/long.md", "logo.png"],
      },
      { skill_name: "wiki", file_path: "docs/long.md", content: "two\nthree", content_length: 18 },
      { skill_name: "wiki", file_path: "logo.png", type: "image/png", size: 6 },
      {
        skill_name: "wiki",
        file_path: "SKILL.md",
        content: '---\ndescription: "Writes."\n---\n\nWrite it. 技能\n',
        content_length: 45,
      },
      undefined,
    ]);
    expect(textOf(answer)[1]).toBe("two\nthree\n\n(lines 1-2 of 4; go on with offset 3)");
    expect(answer.results[4]?.isError).toBe(true);
    expect(await get("/x")).toMatchObject({ active: [] });
  });

  it("give the instructions where the delivery says", async () => {
    const { put, turn, load, seed, calls } = someone();
    await seed({ name: "base", body: "Base." });
    await seed({ name: "wiki", body: "Write.", dependencies: ["base"] });
    const parts = async (id: string, settings: object, tool = load) => {
      await put(`/${id}`, { format: "openai", ...settings });
      await turn(id);
      const { prompt, results } = await tool(id, "wiki");
      const places = {
        system: prompt?.system ?? "",
        messages: JSON.stringify(prompt?.messages.slice(1)),
        answer: JSON.stringify(results),
      };
      return Object.entries(places).flatMap(([place, text]) =>
        ["Base.", "Write."].filter((body) => text.includes(body)).map((body) => `${body} in ${place}`),
      );
    };
    expect(await parts("a", {})).toEqual(["Base. in system", "Write. in system"]);
    expect(await parts("b", { delivery: "message" })).toEqual(["Base. in messages", "Write. in messages"]);
    expect(await parts("c", { delivery: "tool_result" })).toEqual(["Base. in answer", "Write. in answer"]);
    const skill = (id: string, name: string) => calls(id, named("skill", { skill: name }));
    // The one-tool style answers with the body alone, so what it brought along is in the prompt.
    expect(await parts("d", { tool_style: "skill" }, skill)).toEqual(["Base. in system", "Write. in answer"]);
    // What is in the prompt already stays there.
    await put("/e", { format: "openai", delivery: "tool_result", spec: { skills: ["*"], preload_skills: ["base"] } });
    await turn("e");
    const { prompt, results } = await load("e", "wiki");
    expect([prompt?.system.includes("Base."), JSON.stringify(results).includes("Base.")]).toEqual([true, false]);
    expect((await turn("e", { history_cut: true })).prompt?.system).toContain("Write.");
  });
});

describe("restore", () => {
  it("replaces everything and sets the turn, and the log is kept", async () => {
    const { put, turn, load, send, get, seed } = someone();
    for (const name of ["wiki", "draw", "late"]) await seed({ name });
    await put("/x", { spec: { skills: ["wiki", "draw", "late"], preload_skills: ["draw"] } });
    for (let n = 1; n <= 3; n++) await turn("x");
    await load("x", "late");
    const before = await get("/x/events");
    const { status, body } = await send("POST", "/x/restore", { history: history("wiki", "hidden") });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: "x",
      turn: 2,
      active: [
        { skill: "draw", reason: "preloaded", remaining: null },
        { skill: "wiki", remaining: 5, loaded_in_turn: 1 },
      ],
    });
    const after = await get("/x/events");
    expect(after.events.slice(0, before.events.length)).toEqual(before.events);
    expect(after.events.slice(before.events.length).map((event) => event.type)).toEqual(["restored"]);
    expect(await turn("x")).toMatchObject({ turn: 3, active: [{ skill: "draw" }, { skill: "wiki", remaining: 4 }] });
  });

  it.each(["openai", "openai-responses", "anthropic", "mcp"])(
    "gives again what the history does not hold, told in the form of %s",
    async (format) => {
      const { put, turn, send, post, seed } = someone();
      await seed({ name: "house", body: "House rules." });
      await seed({ name: "base", body: "Base.", version: "1.0.0" });
      const wiki = await seed({ name: "wiki", body: "Write.", dependencies: ["base"] });
      const spec = { skills: ["house", "base", "wiki"], preload_skills: ["house"] };
      await put("/x", { format, delivery: "tool_result", spec });
      await turn("x");
      const { messages } = (await send("POST", "/x/tool-calls", { calls: [load("wiki")] })).body;
      const call = named("load_skill", { skill_name: "wiki" });
      const forms: Record<string, (id: string) => object> = {
        openai: (id) => ({
          role: "assistant",
          tool_calls: [
            { id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } },
          ],
        }),
        "openai-responses": (call_id) => ({
          type: "function_call",
          call_id,
          name: call.name,
          arguments: JSON.stringify(call.arguments),
        }),
        anthropic: (id) => ({
          role: "assistant",
          content: [{ type: "tool_use", id, name: call.name, input: call.arguments }],
        }),
        mcp: (id) => ({ role: "assistant", content: { type: "tool_use", id, name: call.name, input: call.arguments } }),
      };
      const id = /"(?:tool_call_id|call_id|tool_use_id|toolUseId)":"([^"]+)"/.exec(JSON.stringify(messages))?.[1] ?? "";
      const told = [{ role: "user", content: "Go" }, forms[format]?.(id), ...messages];
      const carried = async (body: Body) => {
        expect(activeIn(body)).toEqual(["house", "base", "wiki"]);
        const { prompt } = await turn("x");
        const text = `${prompt?.system} ${JSON.stringify(prompt?.messages)}`;
        return ["House rules.", "Base.", "Write."].filter((words) => text.includes(words));
      };
      expect(JSON.stringify(messages)).toContain("Write.");
      expect(await carried(await post("/x/restore", { history: told }))).toEqual(["House rules.", "Base."]);
      // The call without its answer, with another one, and a mere note of it.
      const all = ["House rules.", "Base.", "Write."];
      expect(await carried(await post("/x/restore", { history: told.slice(0, 2) }))).toEqual(all);
      const cut = JSON.parse(JSON.stringify(told).replace("Write.", "Wri… (cut)"));
      expect(await carried(await post("/x/restore", { history: cut }))).toEqual(all);
      expect(await carried(await post("/x/restore", { history: history("wiki") }))).toEqual(all);
      // Another version of it than the history holds.
      await seedVersion(wiki, { body: "Write it better.", dependencies: ["base"] });
      expect((await post("/x/restore", { history: told })).active).toHaveLength(3);
      expect(JSON.stringify((await turn("x")).prompt)).toContain("Write it better.");
    },
  );

  it.each(["system", "message"])("gives everything again with delivery %s", async (delivery) => {
    const { put, turn, calls, post, seed } = someone();
    for (const [name, body] of Object.entries({ house: "House rules.", wiki: "Write." })) await seed({ name, body });
    await put("/x", { format: "openai", delivery, spec: { skills: ["house", "wiki"], preload_skills: ["house"] } });
    await turn("x");
    const { messages } = await calls("x", { ...load("wiki"), id: "c1" });
    const call = { id: "c1", type: "function", function: { name: "load_skill", arguments: '{"skill_name":"wiki"}' } };
    const told = [{ role: "user", content: "Go" }, { role: "assistant", tool_calls: [call] }, ...messages];
    await post("/x/restore", { history: told });
    const { prompt } = await turn("x");
    for (const words of ["House rules.", "Write."]) expect(JSON.stringify(prompt)).toContain(words);
  });

  it("of the one-tool style takes the bare answer for what it is", async () => {
    const { put, turn, calls, post, seed } = someone();
    await seed({ name: "base", body: "Base." });
    await seed({ name: "wiki", body: "Write.", dependencies: ["base"] });
    await put("/x", { format: "openai", tool_style: "skill" });
    await turn("x");
    const { messages } = await calls("x", { id: "c1", name: "skill", arguments: { skill: "wiki" } });
    const call = { id: "c1", type: "function", function: { name: "skill", arguments: '{"skill":"wiki"}' } };
    const told = [{ role: "user", content: "Go" }, { role: "assistant", tool_calls: [call] }, ...messages];
    await post("/x/restore", { history: told });
    const { prompt } = await turn("x");
    expect(["Base.", "Write."].filter((words) => prompt?.system.includes(words))).toEqual(["Base."]);
  });

  it("lets a turn be made again, with its key and with the ids of its calls", async () => {
    const { turn, calls, post, seed } = someone();
    await seed({ name: "wiki" });
    const step = { id: "call_1", name: "load_skill", arguments: { skill_name: "wiki" } };
    await turn("x", { key: "m1", conversation: {} });
    await turn("x", { key: "m2" });
    await calls("x", step);
    await post("/x/restore", { history: history("none") });
    const again = await turn("x", { key: "m2" });
    expect(again).toMatchObject({ turn: 2, active: [] });
    expect(activeIn(await calls("x", step))).toEqual(["wiki"]);
    // The turn that the history still has is not begun again.
    expect((await turn("x", { key: "m1" })).turn).toBe(2);
  });

  it("runs under the settings as they are, budget included", async () => {
    const { put, turn, post, seed, get } = someone();
    for (const name of ["wiki", "draw", "late"]) await seed({ name });
    await put("/x", { spec: { skills: ["wiki"] } });
    await turn("x");
    await put("/x", { spec: { skills: ["wiki", "draw", "late"] }, max_active_skills: 2 });
    const restored = await post("/x/restore", { history: history("wiki", "draw", "late") });
    expect(activeIn(restored)).toEqual(["draw", "late"]);
    expect(restored.warnings).toMatchObject([{ code: "SKILL_EVICTED", path: "wiki" }]);
    expect(activeIn(await get("/x"))).toEqual(["draw", "late"]);
  });
});

describe("the past", () => {
  it("is a log in pages and a state for every turn", async () => {
    const { put, turn, load, get, send, seed } = someone();
    await seed({ name: "wiki", version: "1.2.3" });
    await put("/x", { retention_turns: 1 });
    await turn("x");
    await load("x", "wiki");
    await turn("x");
    await turn("x");
    const all = await get("/x/events");
    expect(all.events.map((event) => `${event.type} ${event.turn}`)).toEqual([
      "turn 1",
      "loaded 1",
      "turn 2",
      "turn 3",
    ]);
    expect(all.next_cursor).toBeNull();
    expect(all.events.every((event) => !Number.isNaN(Date.parse(event.at)))).toBe(true);
    const paged: string[] = [];
    for (let after: unknown = 0; after !== null; ) {
      const page = await get(`/x/events?limit=3&after=${after}`);
      paged.push(...page.events.map((event) => event.type));
      after = page.next_cursor;
    }
    expect(paged).toEqual(all.events.map((event) => event.type));
    const active = [{ skill: "wiki", version: "1.2.3", reason: "loaded", loaded_in_turn: 1, remaining: 1 }];
    expect(await get("/x/at/1")).toMatchObject({ turn: 1, active });
    expect(await get("/x/at/2")).toMatchObject({ turn: 2, active });
    expect(await get("/x/at/3")).toMatchObject({ turn: 3, active: [] });
    const { headers } = await send("GET", "/x/at/1");
    expect((await send("GET", "/x/at/1", undefined, { "if-none-match": headers.get("etag") ?? "" })).status).toBe(304);
    const never = await send("GET", "/x/at/4");
    expect([never.status, never.body.code]).toEqual([404, "TURN_NOT_FOUND"]);
  });

  it("of a turn is not changed by what the next one cannot have any more", async () => {
    const { put, turn, load, get, seed } = someone();
    const base = await seed({ name: "base" });
    await seed({ name: "wiki", dependencies: ["base"] });
    await put("/x", {});
    await turn("x");
    await load("x", "wiki");
    await deleteSkill(base);
    expect(activeIn(await get("/x"))).toEqual(["wiki"]);
    const next = await turn("x");
    expect([activeIn(next), next.warnings.map((warning) => warning.code)]).toEqual([[], ["SKILL_UNLOADED"]]);
    expect(activeIn(await get("/x/at/1"))).toEqual(["base", "wiki"]);
  });
});

describe("the skills of a task", () => {
  it("are those of the conversation, as executors ask for them", async () => {
    const { put, name, seed } = someone();
    const own = await seed({ name: "own" });
    const shared = await seedSkill({ name: "task-public" });
    await put("/x", { spec: { skills: ["own", "task-public"], preload_skills: ["task-public"] } });
    const answer = await call("GET", "/api/tasks/x/skills", { as: name });
    const ref = (skill: SeededSkill, is_public: boolean) => ({
      skill_id: skill.id,
      namespace: "default",
      is_public,
      version_id: skill.versionId,
    });
    expect(await answer.json()).toEqual({
      task_id: "x",
      skills: ["own", "task-public"],
      preload_skills: ["task-public"],
      skill_refs: { own: ref(own, false), "task-public": ref(shared, true) },
      preload_skill_refs: { "task-public": ref(shared, true) },
    });
  });
});

describe("the catalog", () => {
  /** What list, load and read each say of the names. */
  async function seenOf(
    user: ReturnType<typeof someone>,
    id: string,
    names: string[],
  ): Promise<Record<string, string>> {
    const begun = await user.turn(id);
    const loaded = await user.calls(id, ...names.map(load));
    const readable = await user.calls(id, ...names.map((name) => read(name)));
    return Object.fromEntries(
      names.map((name, index) => [
        name,
        [
          begun.prompt?.system.includes(`- **${name}**`) ? "listed" : "",
          loaded.results[index]?.isError === true ? "" : "loaded",
          readable.results[index]?.isError === true ? "" : "read",
        ]
          .filter((word) => word !== "")
          .join(" "),
      ]),
    );
  }
  const ALL = "listed loaded read";

  it("has one's own, one's groups' and public skills, the nearest of a name, and nobody else's", async () => {
    await clearRegistry();
    const user = someone("in-group");
    const key = await keyFor("in-group", { groups: ["crew"] });
    for (const [scope, names] of Object.entries({
      public: ["everywhere", "crewed", "public-only"],
      "group:crew": ["everywhere", "crewed", "group-only"],
      "user:in-group": ["everywhere"],
      "group:others": ["foreign-group"],
      "user:stranger": ["foreign"],
    }))
      for (const name of names) await seedSkill({ name, scope, description: `From ${scope}.`, body: `Of ${scope}.` });
    const answer = await call("POST", `${BASE}/x/turns`, { key, json: { conversation: {} } });
    const { prompt } = await answer.json<Body>();
    expect([...(prompt?.system ?? "").matchAll(/^- (.*)$/gm)].map((match) => match[1])).toEqual([
      "**public-only**: From public.",
      "**crewed**: From group:crew.",
      "**group-only**: From group:crew.",
      "**everywhere**: From user:in-group.",
    ]);
    // A service that acts for the user has the user's groups.
    await user.put("/y", {});
    expect(await seenOf(user, "y", ["crewed", "foreign", "foreign-group", "group-only"])).toEqual({
      crewed: ALL,
      foreign: "",
      "foreign-group": "",
      "group-only": ALL,
    });
  });

  it("is narrowed by the ghost", async () => {
    const user = someone();
    for (const name of ["wiki", "draw"]) await user.seed({ name });
    await user.put("/x", { spec: { skills: ["draw"] } });
    expect(await seenOf(user, "x", ["wiki", "draw"])).toEqual({ wiki: "", draw: ALL });
    await user.put("/none", { spec: { skills: [] } });
    expect(await seenOf(user, "none", ["wiki"])).toEqual({ wiki: "" });
    await user.put("/every", { spec: { skills: ["*"] } });
    expect(await seenOf(user, "every", ["wiki", "draw"])).toEqual({ wiki: ALL, draw: ALL });
  });

  it("is narrowed by the shell", async () => {
    const user = someone();
    await user.seed({ name: "coder", bindShells: ["ClaudeCode"] });
    await user.seed({ name: "both", bindShells: ["Chat", "ClaudeCode"] });
    await user.seed({ name: "any" });
    const names = ["coder", "both", "any"];
    await user.put("/chat", {});
    expect(await seenOf(user, "chat", names)).toEqual({ coder: "", both: ALL, any: ALL });
    await user.put("/code", { shell: "ClaudeCode" });
    expect(await seenOf(user, "code", names)).toEqual({ coder: ALL, both: ALL, any: ALL });
  });

  /** The gateway with other variables, for one conversation until it is evicted. */
  async function configure(stub: DurableObjectStub, variables: Record<string, string>): Promise<void> {
    await runInDurableObject(stub, (object: object) => {
      const open = object as { env: object };
      open.env = { ...open.env, ...variables };
    });
  }

  it("is narrowed by the allow-list, versions included, also for what is active already", async () => {
    const user = someone();
    const wiki = await user.seed({ name: "wiki", version: "1.0.0" });
    await seedVersion(wiki, { version: "2.0.0" });
    for (const name of ["draw", "third"]) await user.seed({ name });
    await user.put("/x", {});
    await user.turn("x");
    await user.load("x", "draw", "third");
    await configure(user.stub("x"), { SKILLS_ALLOWED: "wiki@^1, third" });
    const now = await user.get("/x");
    expect([activeIn(now), now.warnings.map((warning) => warning.path)]).toEqual([["third"], ["draw"]]);
    expect(await seenOf(user, "x", ["wiki", "draw", "third"])).toEqual({ wiki: ALL, draw: "", third: ALL });
    expect((await user.get("/x")).active.find((active) => active.skill === "wiki")?.version).toBe("1.0.0");
    // A ghost cannot name its way around it, nor can a dependency with a range.
    await user.seed({ name: "needy", dependencies: ["draw@*", "wiki@>=2"] });
    await user.put("/y", { spec: { skills: ["wiki@*", "draw", "needy"] } });
    await configure(user.stub("y"), { SKILLS_ALLOWED: "wiki@^1, needy" });
    expect(await seenOf(user, "y", ["draw", "needy", "wiki"])).toEqual({ draw: "", needy: "listed read", wiki: ALL });
    const found = await user.calls("x", named("find_skill", { query: "draw" }));
    expect(textOf(found)).toEqual(["No available skill matches 'draw'."]);
  });

  it("is empty with the switch off, and every tool says so", async () => {
    const user = someone();
    await user.seed({ name: "wiki" });
    await user.put("/x", { spec: { systemPrompt: "Hi.", skills: ["*"] } });
    await user.turn("x");
    await user.load("x", "wiki");
    await configure(user.stub("x"), { SKILLS_ENABLED: "false" });
    const answer = await user.calls(
      "x",
      load("wiki"),
      read("wiki"),
      named("find_skill", { query: "wiki" }),
      named("unload_skill", { skill_name: "wiki" }),
    );
    expect(new Set(textOf(answer))).toEqual(new Set(["Error: skills are not enabled"]));
    expect(answer.results.every((result) => result.isError)).toBe(true);
    expect(answer).toMatchObject({ active: [], tools: [], prompt: { system: "Hi." } });
  });

  it("has each skill at the version its ghost asks for", async () => {
    const user = someone();
    const wiki = await user.seed({ name: "wiki", version: "1.0.0", description: "Of 1.0.0." });
    for (const version of ["1.5.0", "2.0.0"]) await seedVersion(wiki, { version, description: `Of ${version}.` });
    await user.seed({ name: "bare", description: "Of nothing." });
    const listOf = async (...skills: string[]) => {
      const id = `c${calls++}`;
      const begun = await user.turn(id, { conversation: { spec: { skills } } });
      return [...(begun.prompt?.system.matchAll(/: Of (.*)\.$/gm) ?? [])]
        .map((match) => match[1])
        .concat(begun.warnings.map((warning) => warning.code));
    };
    expect(await listOf("wiki")).toEqual(["2.0.0"]);
    expect(await listOf("wiki@>=1.0.0")).toEqual(["2.0.0"]);
    expect(await listOf("wiki@^1")).toEqual(["1.5.0"]);
    expect(await listOf("wiki@<1.2", "bare@*")).toEqual(["nothing", "1.0.0"]);
    expect(await listOf("wiki@^3", "bare@>=0")).toEqual(["SKILL_UNAVAILABLE", "SKILL_UNAVAILABLE"]);
    expect(await listOf("*", "wiki@^1")).toContain("1.5.0");
  });

  it("loads the version that dependants ask for, and stays at it while they are there", async () => {
    const user = someone();
    const base = await user.seed({ name: "base", version: "1.0.0" });
    await seedVersion(base, { version: "2.0.0" });
    await user.seed({ name: "old", dependencies: ["base@^1"] });
    await user.seed({ name: "plain", dependencies: ["base"] });
    await user.put("/x", {});
    await user.turn("x");
    const version = (body: Body) => body.active.find((active) => active.skill === "base")?.version;
    expect(version(await user.load("x", "plain"))).toBe("2.0.0");
    expect(textOf(await user.load("x", "old"))[0]).toContain("another one is loaded");
    await user.turn("x");
    await user.calls("x", named("unload_skill", { skill_name: "plain" }));
    expect(version(await user.load("x", "old"))).toBe("1.0.0");
    expect(textOf(await user.load("x", "plain", "base"))).toEqual([
      "Skill 'plain' has been loaded. The instructions have been added to the system prompt.",
      "Skill 'base' is already active. Its instructions are in effect; follow them without loading it again.",
    ]);
    const next = await user.turn("x");
    expect([version(next), next.warnings, activeIn(next).sort()]).toEqual(["1.0.0", [], ["base", "old", "plain"]]);
  });
});

describe("a change of the registry", () => {
  async function loaded() {
    await clearRegistry();
    const user = someone();
    const skill = await user.seed({
      name: "wiki",
      version: "1.0.0",
      body: "First edition.",
      files: { "a.md": "Old file." },
    });
    await user.put("/x", {});
    await user.turn("x");
    await user.load("x", "wiki");
    return { user, skill };
  }

  it("takes away at once what was deleted or is nobody's business any more", async () => {
    for (const lose of [deleteSkill, (skill: SeededSkill) => moveSkill(skill, "user:other")]) {
      const { user, skill } = await loaded();
      await lose(skill);
      const answer = await user.calls("x", read("wiki"));
      expect([answer.active, answer.results[0]?.isError]).toEqual([[], true]);
      expect(answer.prompt?.system).toBe("");
      expect(answer.warnings).toMatchObject([{ code: "SKILL_UNLOADED", path: "wiki" }]);
      expect((await user.get("/x/events")).events.at(-1)).toMatchObject({ type: "unloaded", reason: "unavailable" });
      expect((await user.get("/x")).warnings).toEqual([]);
    }
  });

  it("of a version is seen at the next turn, not within one: instructions and files alike", async () => {
    const { user, skill } = await loaded();
    await seedVersion(skill, { version: "1.1.0", body: "Second edition.", files: { "a.md": "New file." } });
    const seen = async (body: Body) => [
      body.active[0]?.version,
      body.prompt?.system.includes("First edition."),
      textOf(await user.calls("x", read("wiki", { file_path: "a.md" })))[0],
    ];
    expect(await seen(await user.calls("x", load("wiki")))).toEqual(["1.0.0", true, "Old file."]);
    expect(await seen(await user.turn("x"))).toEqual(["1.1.0", false, "New file."]);
  });

  it("of one's own skill over a public one of the name too", async () => {
    const user = someone();
    const name = "shadowed";
    await seedSkill({ name, body: "Public.", files: { "a.md": "Public file." } });
    await user.put("/x", {});
    await user.turn("x");
    await user.load("x", name);
    await user.seed({ name, body: "Own.", files: { "a.md": "Own file." } });
    const within = await user.calls("x", read(name, { file_path: "a.md" }));
    expect([within.prompt?.system.includes("Public."), textOf(within)[0], within.warnings]).toEqual([
      true,
      "Public file.",
      [],
    ]);
    const next = await user.turn("x");
    expect([next.prompt?.system.includes("Own."), next.prompt?.system.includes("Public.")]).toEqual([true, false]);
  });

  it("of a dependency does not keep others from being loaded beside it", async () => {
    const user = someone();
    const base = await user.seed({ name: "base", version: "1.0.0" });
    await user.seed({ name: "needy", dependencies: ["base"] });
    await user.put("/x", {});
    await user.turn("x");
    await user.load("x", "base");
    await seedVersion(base, { version: "2.0.0" });
    expect(await user.load("x", "needy")).toMatchObject({
      active: [{ skill: "base", version: "1.0.0" }, { skill: "needy" }],
    });
    expect(await user.turn("x")).toMatchObject({ active: [{ skill: "base", version: "2.0.0" }, { skill: "needy" }] });
  });
});

describe("when D1 does not work", () => {
  /** A conversation's first turns; every request may be sent again. */
  async function live(user: ReturnType<typeof someone>, onAnswer: (answer: Answer) => Promise<Answer>): Promise<void> {
    const settings = { spec: { skills: ["wiki", "draw"], preload_skills: ["draw"] } };
    const requests: [string, string, unknown][] = [
      ["POST", "/x/turns", { key: "m1", conversation: settings, history: history("wiki", "none") }],
      ["POST", "/x/tool-calls", { calls: [{ id: "1", name: "load_skill", arguments: { skill_name: "wiki" } }] }],
      ["PUT", "/x", { ...settings, retention_turns: 2 }],
      ["POST", "/x/turns", { key: "m2" }],
      ["GET", "/x", undefined],
    ];
    for (const [method, path, json] of requests) {
      let answer = await onAnswer(await user.send(method, path, json));
      for (let tries = 0; answer.status === 503 && tries < 3; tries++)
        answer = await onAnswer(await user.send(method, path, json));
      expect(answer.status, answer.text).toBeLessThan(300);
    }
  }

  it.each(["before", "after"] as const)(
    "at any one call (%s it took effect) the request is 503, and can be sent again",
    async (moment) => {
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      const expected = {
        turn: 4,
        active: [
          { skill: "draw", remaining: null },
          { skill: "wiki", remaining: 2, loaded_in_turn: 3 },
        ],
      };
      let struck = true;
      let refused = 0;
      for (let at = 0; struck; at++) {
        const user = someone();
        for (const name of ["wiki", "draw"]) await user.seed({ name });
        const faults = new Faults(at, moment);
        breakWith(faults);
        await live(user, async (answer) => {
          if (answer.status >= 400) {
            expect([answer.status, answer.body.code, answer.headers.get("retry-after")], answer.text).toEqual([
              503,
              "UNAVAILABLE",
              "2",
            ]);
            refused++;
          }
          return answer;
        });
        vi.mocked(Object.getPrototypeOf(env.DB).withSession).mockRestore();
        struck = faults.struck;
        expect(await user.get("/x"), `fault ${at}`).toMatchObject(expected);
        expect(
          (await user.get("/x/events")).events.filter((event) => event.type === "turn").map((event) => event.turn),
        ).toEqual([3, 4]);
        expect((await user.get("")).items.map((item) => item.id)).toEqual(["x"]);
      }
      expect(refused).toBeGreaterThan(3);
    },
  );

  it("what was settled for the next turn does not leak into this one", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const user = someone();
    for (const name of ["wiki", "draw"]) await user.seed({ name });
    await user.put("/x", { spec: { skills: ["wiki"] } });
    await user.turn("x");
    await user.load("x", "wiki");
    await user.put("/x", { spec: { skills: ["draw"] } });
    breakWith(new Faults(1));
    expect((await user.send("POST", "/x/turns", {})).status).toBe(503);
    vi.restoreAllMocks();
    expect(activeIn(await user.get("/x"))).toEqual(["wiki"]);
  });

  it("an existing conversation goes on from its own copy, and says so; nothing else does", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const user = someone();
    for (const name of ["wiki", "draw"]) await user.seed({ name, body: `Do ${name}.` });
    await user.put("/x", {});
    await user.turn("x");
    // Another conversation has had the instructions, so this isolate knows them.
    await user.turn("other", { conversation: {} });
    await user.load("other", "wiki");
    breakWith(NEVER_WORKS);
    const loaded = await user.calls("x", load("wiki"));
    expect(loaded.prompt?.system).toContain("Do wiki.");
    expect(loaded.warnings).toMatchObject([{ code: "catalog_stale" }]);
    const next = await user.turn("x");
    expect([activeIn(next), next.warnings.map((warning) => warning.code)]).toEqual([["wiki"], ["catalog_stale"]]);
    expect((await user.get("/x")).warnings).toMatchObject([{ code: "catalog_stale" }]);
    const refused = [
      await user.send("GET", ""),
      await user.send("POST", "", {}),
      await user.send("PUT", "/new", {}),
      await user.send("DELETE", "/x"),
      await user.send("POST", "/x/tool-calls", { calls: [load("draw")] }),
      await user.send("POST", "/x/tool-calls", { calls: [read("draw")] }),
      await someone().send("GET", "/x"),
    ];
    expect(refused.map((answer) => answer.status)).toEqual(refused.map(() => 503));
    expect((await call("GET", "/api/v1/me", { as: user.name })).status).toBe(503);
    vi.restoreAllMocks();
    const back = await user.get("/x");
    expect([activeIn(back), back.warnings]).toEqual([["wiki"], []]);
    expect((await user.send("GET", "/new")).status).toBe(404);
  });

  it("a principal that was refused is not remembered from before", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const made = await call("POST", "/api/v1/keys", { json: { user_id: "revoked-user" } });
    const { id, key } = await made.json<{ id: string; key: string }>();
    const ask = async () => (await call("GET", `${BASE}/x`, { key })).status;
    expect((await call("PUT", `${BASE}/x`, { key, json: {} })).status).toBe(201);
    breakWith(NEVER_WORKS);
    expect(await ask()).toBe(200);
    vi.restoreAllMocks();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await call("DELETE", `/api/v1/keys/${id}`);
    expect(await ask()).toBe(401);
    breakWith(NEVER_WORKS);
    expect(await ask()).toBe(503);
  });
});
