// No user sees another user's data, and nothing runs after its deadline.

import { describe, expect, it } from "vitest";
import { type BrowserLink, type BrowserRequest, NO_PAGE } from "../../src/sandbox/browser-link";
import { runIsolated } from "../../src/sandbox/isolate";
import { modulesIsolate } from "../../src/sandbox/modules";
import { Slots } from "../../src/sandbox/slots";
import { providerSkill } from "../support/provider";
import { callOne, describeAll, runOne } from "../support/run-code";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("isolates", () => {
  it("are never shared between users", async () => {
    const skill = providerSkill("memory", {
      count: "globalThis.seen = [...(globalThis.seen ?? []), context.userId]; return globalThis.seen",
    });
    const asked = async (userId: string) =>
      JSON.parse(String((await callOne(skill, "count", { userId })).content[0]?.text));
    expect(await asked("alice")).toEqual(["alice"]);
    expect(await asked("alice")).toEqual(["alice", "alice"]);
    expect(await asked("bob")).toEqual(["bob"]);
    expect(await asked("alice")).toEqual(["alice", "alice", "alice"]);
  });

  it("are never shared between codes or configs", async () => {
    const body = "globalThis.n = (globalThis.n ?? 0) + 1; return globalThis.n";
    const of = async (skill: ReturnType<typeof providerSkill>) => (await callOne(skill, "count")).content[0]?.text;
    expect(await of(providerSkill("one", { count: body }))).toBe("1");
    expect(await of(providerSkill("one", { count: body }, { config: { a: 1 } }))).toBe("1");
    expect(await of(providerSkill("one", { count: body }, { body: "Other instructions." }))).toBe("1");
    expect(await of(providerSkill("two", { count: body }))).toBe("1");
    expect(await of(providerSkill("one", { count: body }))).toBe("2");
  });

  it("are never shared between the entries of one package, nor between the ways to run one", async () => {
    const source = (name: string) =>
      `globalThis.entered = [...(globalThis.entered ?? []), "${name}"]; console.log(globalThis.entered.join());`;
    const skill = providerSkill(
      "entries",
      { look: "return globalThis.entered" },
      { top: source("provider"), files: { "scripts/a.js": source("a"), "scripts/b.js": source("b") } },
    );
    expect((await callOne(skill, "look")).content[0]?.text).toBe('["provider"]');
    for (const [path, printed] of [
      ["provider.js", "provider"],
      ["scripts/a.js", "a"],
      ["scripts/b.js", "b"],
    ] as const)
      expect(await runOne(skill, path)).toMatchObject({ exit_code: 0, stdout: `${printed}\n` });
    expect((await callOne(skill, "look")).content[0]?.text).toBe('["provider"]');
  });

  it("that describe tools are separate from those that call them", async () => {
    const skill = providerSkill(
      "described",
      { look: "" },
      {
        files: {
          "provider.js": `let made = 0;
            export class Provider {
              get providerName() { return "test" }
              get supportedTools() { return ["look"] }
              createTool() { const nth = ++made; return { description: "Looks.", call: () => nth } }
            }`,
        },
      },
    );
    expect((await describeAll(skill)).tools).toHaveLength(1);
    for (const userId of ["alice", "bob"])
      expect((await callOne(skill, "look", { userId })).content[0]?.text).toBe("1");
  });

  it("get no network, nothing of the gateway's environment, and no Node", async () => {
    let given: WorkerLoaderWorkerCode | undefined;
    const loader = {
      get: (_id: string, load: () => Promise<WorkerLoaderWorkerCode>) => ({
        getEntrypoint: () => ({
          run: async () => {
            given = await load();
            return '{"ok":true,"value":"ran"}';
          },
        }),
      }),
    } as unknown as WorkerLoader;
    const code = {
      ...{ digest: "given", path: "a.js", config: {}, userId: "alice" },
      load: async () => ({ entry: "skill/a.js", sources: { "skill/a.js": "export const a = 1;" } }),
    };
    const isolates = { loader, slots: new Slots(1) };
    const host = { readFile: async () => null, log: () => {}, ended: () => {}, browserLink: NO_PAGE };
    const { outcome } = await runIsolated(isolates, await modulesIsolate(code), { ask: {}, ms: 1_000 }, host);
    expect(outcome).toEqual({ kind: "answer", value: "ran" });
    expect(given?.globalOutbound).toBeNull();
    expect(given?.env).toEqual({});
    expect(given?.compatibilityFlags).toEqual(expect.arrayContaining(["no_nodejs_compat", "no_nodejs_compat_v2"]));
    expect(Object.keys(given ?? {}).sort()).toEqual(
      ["compatibilityDate", "compatibilityFlags", "env", "globalOutbound", "mainModule", "modules"].sort(),
    );
  });

  it("are replaced when they broke", async () => {
    let broken = true;
    const skill = providerSkill("flaky", { act: "return 'acted'" });
    const { callTool } = await import("../../src/sandbox/provider");
    const { env } = await import("cloudflare:workers");
    const { runnable } = await import("../../src/domain/code/compiled");
    const { readPackage } = await import("../../src/domain/package/package");
    const { compilePackage } = await import("../../src/domain/code/compile");
    const { skillZip } = await import("../support/skill");
    const { package: found } = await readPackage(skillZip(skill), {});
    const { code } = await compilePackage(found!);
    const provided = {
      digest: found!.digest,
      path: "provider.js",
      className: "Provider",
      config: {},
      load: async () => {
        if (broken) throw new Error("no storage");
        return runnable(code!, "provider.js");
      },
    };
    const context = { taskId: "", subtaskId: 0, userId: "flaky", userName: "", skillName: "flaky" };
    const act = () =>
      callTool(
        { loader: env.LOADER, slots: new Slots(1) },
        provided,
        { tool: { name: "act" }, shown: "act", arguments: {}, context },
        { readFile: async () => null, log: () => {}, ended: () => {}, browserLink: NO_PAGE },
        new AbortController().signal,
      );
    await expect(act()).rejects.toThrow("no storage");
    broken = false;
    expect(await act()).toEqual({ content: [{ type: "text", text: "acted" }] });
  });
});

describe("a deadline", () => {
  it("ends everything of its call inside the isolate, even without calls to the host", async () => {
    const skill = providerSkill("undead", {
      start: {
        call: "globalThis.beats = 0; setInterval(() => { globalThis.beats++ }, 10); await new Promise(() => {});",
        config: { timeout: 0.3 },
      },
      look: "const before = globalThis.beats; await new Promise((r) => setTimeout(r, 300)); return [before > 5, globalThis.beats - before]",
    });
    expect((await callOne(skill, "start")).content[0]?.text).toBe("Tool 'start' timed out after 0.3s");
    expect((await callOne(skill, "look")).content[0]?.text).toBe("[true,0]");
  });

  it("ends pending work of a tool, and closes its host", { tags: ["slow"] }, async () => {
    const seen: string[] = [];
    const skill = providerSkill(
      "zombie",
      {
        rise: `const say = (text) => context.log(text);
          setInterval(() => say('tick'), 20);
          for (;;) { try { await context.readFile('SKILL.md'); say('still here'); } catch (error) { say(error.message); } await new Promise((r) => setTimeout(r, 20)); }`,
      },
      { config: { timeout: 0.3 } },
    );
    const result = await callOne(skill, "rise", { host: { log: (text) => seen.push(text) } });
    expect(result.content).toEqual([{ type: "text", text: "Tool 'rise' timed out after 0.3s" }]);
    const before = seen.length;
    expect(before).toBeGreaterThan(0);
    await wait(1_000);
    expect(seen.length).toBe(before);
  });

  it("holds for requests of a page too: they end a second before", async () => {
    const asked: BrowserRequest[] = [];
    const link: BrowserLink = {
      request: async (request) => {
        const n = asked.push(request);
        return { success: true, result: { n } };
      },
      emit: () => {},
    };
    const skill = providerSkill(
      "asker",
      {
        ask: "return [await context.request('first'), await context.request('second', {}, 500), await context.request('third', {}, { timeout_ms: 600_000 })]",
      },
      { config: { timeout: 10 } },
    );
    const result = await callOne(skill, "ask", { host: { browserLink: link } });
    expect(JSON.parse(String(result.content[0]?.text)).map((answer: { result: unknown }) => answer.result)).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
    ]);
    expect(asked.map(({ action, requireClient }) => [action, requireClient])).toEqual([
      ["first", false],
      ["second", false],
      ["third", false],
    ]);
    for (const [index, most] of [9_000, 500, 9_000].entries()) {
      expect(asked[index]!.timeoutMs).toBeLessThanOrEqual(most);
      // A busy machine takes some of the time before the request.
      expect(asked[index]!.timeoutMs).toBeGreaterThan(most === 500 ? 0 : most - 5_000);
    }
  });

  it("comes early when the call is cancelled", async () => {
    const seen: string[] = [];
    const skill = providerSkill("patient", {
      wait: "for (;;) { context.log('waiting'); await new Promise((r) => setTimeout(r, 20)) }",
    });
    const cancel = new AbortController();
    const began = Date.now();
    setTimeout(() => cancel.abort(), 200);
    const result = await callOne(skill, "wait", { signal: cancel.signal, host: { log: (text) => seen.push(text) } });
    expect(result.isError).toBe(true);
    // Without the cancellation it would take 30 s.
    expect(Date.now() - began).toBeLessThan(20_000);
    const before = seen.length;
    await wait(500);
    expect(seen.length).toBe(before);
  });

  it("is separate for each call: another call in the same isolate continues", { tags: ["slow"] }, async () => {
    const skill = providerSkill("pair", {
      hang: { call: "await new Promise((r) => setTimeout(r, 60_000))", config: { timeout: 0.3 } },
      work: {
        call: "for (let n = 0; n < 20; n++) await new Promise((r) => setTimeout(r, 50)); return 'worked'",
        config: { timeout: 10 },
      },
    });
    const [hung, worked] = await Promise.all([callOne(skill, "hang"), callOne(skill, "work")]);
    expect(hung.content[0]?.text).toBe("Tool 'hang' timed out after 0.3s");
    expect(worked.content[0]?.text).toBe("worked");
  });
});

describe("output of scripts", () => {
  it("goes to the run that wrote it, also where two run in one isolate", async () => {
    const skill = {
      name: "writers",
      files: {
        "scripts/write.js":
          "import { say } from '../say.js'; for (let n = 0; n < 5; n++) { say(process.argv[2]); await new Promise((r) => setTimeout(r, 10)); }",
        "say.js": "export const say = (text) => console.log(text);",
      },
    };
    const runs = await Promise.all(["a", "b"].map((arg) => runOne(skill, "scripts/write.js", { args: [arg] })));
    expect(runs.map((run) => run.stdout)).toEqual(["a\n".repeat(5), "b\n".repeat(5)]);
  });
});
