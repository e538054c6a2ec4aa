import { describe, expect, it } from "vitest";
import { call } from "../../support/call";
import { deleteSkill, type SeededSkill, seedSkill, seedVersion } from "../../support/registry";
import { activeIn, type Body, history, load, named, someone } from "../../support/users";

describe("restore", () => {
  it("replaces everything and sets the turn, and the log remains", async () => {
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
    "returns what the history does not contain, in the format of %s",
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
      // The history contains the call without its answer, with a different answer, or only the name of the skill.
      const all = ["House rules.", "Base.", "Write."];
      expect(await carried(await post("/x/restore", { history: told.slice(0, 2) }))).toEqual(all);
      const cut = JSON.parse(JSON.stringify(told).replace("Write.", "Wri… (cut)"));
      expect(await carried(await post("/x/restore", { history: cut }))).toEqual(all);
      expect(await carried(await post("/x/restore", { history: history("wiki") }))).toEqual(all);
      // A different version than the one in the history.
      await seedVersion(wiki, { body: "Write it better.", dependencies: ["base"] });
      expect((await post("/x/restore", { history: told })).active).toHaveLength(3);
      expect(JSON.stringify((await turn("x")).prompt)).toContain("Write it better.");
    },
  );

  it("of a transcript across an upgrade reads each message in its own format", async () => {
    const { put, post, turn, seed } = someone();
    for (const name of ["wiki", "draw", "late"]) await seed({ name });
    await put("/x", {});
    const told = [
      { role: "user", content: "Write" },
      { role: "assistant", content: "Skill 'wiki' has been loaded. Here you are." },
      { role: "user", content: "Draw" },
      { role: "assistant", content: "Skill 'late' has been loaded, says the manual.", loaded_skills: ["draw"] },
      { role: "user", content: "Thanks" },
      { role: "assistant", content: "You are welcome.", loaded_skills: [] },
    ];
    expect((await post("/x/restore", { history: told })).active).toMatchObject([
      { skill: "wiki", loaded_in_turn: 1, remaining: 4 },
      { skill: "draw", loaded_in_turn: 2, remaining: 5 },
    ]);
    expect(activeIn(await turn("fresh", { conversation: {}, history: told }))).toEqual(["wiki", "draw"]);
  });

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

  it("of the one-tool style accepts the bare answer", async () => {
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
    // A turn that is still in the history is not started again.
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
    await seed({ name: "base" });
    const wiki = await seed({ name: "wiki", dependencies: ["base"] });
    await put("/x", {});
    await turn("x");
    await load("x", "wiki");
    await deleteSkill(wiki);
    expect(activeIn(await get("/x"))).toEqual([]);
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
      content_hash: "",
    });
    expect(await answer.json()).toEqual({
      task_id: "x",
      skills: ["own", "task-public"],
      preload_skills: ["task-public"],
      skill_refs: { own: ref(own, false), "task-public": ref(shared, true) },
      preload_skill_refs: { "task-public": ref(shared, true) },
      user_selected_skills: [],
    });
  });
});
