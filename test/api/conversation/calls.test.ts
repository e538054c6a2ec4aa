import { describe, expect, it } from "vitest";
import { activeIn, type Body, load, named, type Result, read, someone, textOf } from "../../support/users";

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

  it("begin turn 1 if there is no turn", async () => {
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
    expect(textOf(answer)[0]).toBe(
      "Error: The arguments of 'load_skill' cannot be read: they are not valid JSON. Send valid JSON.",
    );
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
    // An older ETag: the response says changed, although this step changed nothing.
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
    // The JSON response to the same calls contains the stored results and the current state.
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
    expect(textOf(answer)[1]).toBe("two\nthree\n\n(lines 1-2 of 4; call read_skill with offset 3 to continue)");
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
    // The one-tool style returns only the body, so further information is in the prompt.
    expect(await parts("d", { tool_style: "skill" }, skill)).toEqual(["Base. in system", "Write. in answer"]);
    // Instructions that are already in the prompt stay there.
    await put("/e", { format: "openai", delivery: "tool_result", spec: { skills: ["*"], preload_skills: ["base"] } });
    await turn("e");
    const { prompt, results } = await load("e", "wiki");
    expect([prompt?.system.includes("Base."), JSON.stringify(results).includes("Base.")]).toEqual([true, false]);
    expect((await turn("e", { history_cut: true })).prompt?.system).toContain("Write.");
  });
});
