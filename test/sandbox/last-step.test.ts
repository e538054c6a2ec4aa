// What code sends to the gateway in its last step: the result ends the isolate, and nothing may be lost.

import { describe, expect, it } from "vitest";
import { CODE_LIMITS } from "../../src/domain/limits";
import { providerSkill } from "../support/provider";
import { callOne, runOne } from "../support/run-code";

/** A host that records what it receives. `before`: what each call waits for. */
function listening(before: () => Promise<void> = async () => {}) {
  const heard: unknown[] = [];
  return {
    heard,
    host: {
      log: (text: string) => heard.push(text),
      browserLink: {
        request: async () => {
          await before();
          return { success: true };
        },
        emit: (action: string, payload: unknown) => heard.push([action, payload]),
      },
    },
  };
}

describe("the last messages of a tool", () => {
  it.each([
    ["emitted", "context.emit('done', { n: 1 }); return 'a'", [["done", { n: 1 }]]],
    ["emitted and awaited", "await context.emit('done', 2); return 'a'", [["done", 2]]],
    ["logged", "context.log('one', 2); return 'a'", ["one 2"]],
    ["written to the console", "console.warn('careful'); return 'a'", ["careful"]],
    ["logged after a question", "await context.request('ask', 1); context.log('asked'); return 'a'", ["asked"]],
    [
      "told in this order",
      "context.log('1'); context.emit('two'); console.log('3'); return 'a'",
      ["1", ["two", null], "3"],
    ],
  ])("arrives when it is %s", async (_, call, expected) => {
    const { heard, host } = listening();
    const result = await callOne(providerSkill("teller", { tell: call }), "tell", { host });
    expect(result).toEqual({ content: [{ type: "text", text: "a" }] });
    expect(heard).toEqual(expected);
  });

  it("arrives before it throws", async () => {
    const { heard, host } = listening();
    const call = "context.log('why'); console.error('how'); context.emit('failed'); throw new Error('broken')";
    const result = await callOne(providerSkill("failing", { tell: call }), "tell", { host });
    expect(result).toMatchObject({ isError: true, content: [{ text: "Tool 'tell' failed: broken" }] });
    expect(heard).toEqual(["why", "how", ["failed", null]]);
  });

  it("arrives up to the limits of calls and lines", { tags: ["slow"] }, async () => {
    const { heard, host } = listening();
    const emits = CODE_LIMITS.hostCalls - CODE_LIMITS.logLines;
    const call = `for (let n = 0; n < 5_000; n++) { console.log(n); context.log(n) } for (let n = 0; n < ${emits}; n++) context.emit("tick", n); return "a"`;
    const result = await callOne(providerSkill("talkative", { tell: call }), "tell", { host });
    expect(result).toEqual({ content: [{ type: "text", text: "a" }] });
    expect(heard.length).toBe(CODE_LIMITS.hostCalls);
  });

  it("rejects an emit that is awaited and cannot be, and lets one pass that is not", async () => {
    const { heard, host } = listening();
    const skill = providerSkill("wrong", {
      awaited: "await context.emit('no name'); return 'a'",
      dropped: "context.emit('no name'); return 'a'",
    });
    expect(await callOne(skill, "awaited", { host })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("The action is not valid") }],
    });
    expect(await callOne(skill, "dropped", { host })).toEqual({ content: [{ type: "text", text: "a" }] });
    expect(heard).toEqual([]);
  });

  it("is waited for only briefly: an unawaited question does not delay the result", async () => {
    const { host } = listening(() => new Promise(() => {}));
    const call = "context.log('asking'); void context.request('ask', 1); return 'a'";
    expect(await callOne(providerSkill("careless", { tell: call }), "tell", { host })).toEqual({
      content: [{ type: "text", text: "a" }],
    });
  });

  it("does not include what code sends after its result", async () => {
    const { heard, host } = listening();
    const call = "const again = () => { try { context.emit('more').then(again) } catch {} }; again(); return 'a'";
    expect(await callOne(providerSkill("chatty", { tell: call }), "tell", { host })).toEqual({
      content: [{ type: "text", text: "a" }],
    });
    expect(heard[0]).toEqual(["more", null]);
  });
});

describe("the last messages of a script", () => {
  it.each([
    ["returns", "export default ({ log, emit }) => { log('one'); emit('two', 2); }"],
    ["throws", "export default ({ log, emit }) => { log('one'); emit('two', 2); throw new Error('no') }"],
    ["exits", "export default ({ log, emit }) => { log('one'); emit('two', 2); process.exit(3) }"],
    [
      "exits later",
      "export default ({ log, emit }) => new Promise(() => setTimeout(() => { log('one'); emit('two', 2); process.exit(3) }, 1))",
    ],
  ])("arrives when it %s", async (_, source) => {
    const { heard, host } = listening();
    await runOne({ name: "scripted", files: { "scripts/tell.js": source } }, "scripts/tell.js", { host });
    expect(heard).toEqual(["one", ["two", 2]]);
  });
});
