// Hostile or broken code: what the model receives, and that no other user is affected.

import { describe, expect, it } from "vitest";
import { CODE_LIMITS } from "../../src/domain/limits";
import type { ToolResult } from "../../src/domain/tool";
import type { HostEnding } from "../../src/sandbox/host";
import { CORPUS, type Row, TIMEOUT, timedOut, tooLong } from "../support/hostile";
import { providerSkill } from "../support/provider";
import { callOne, runOne } from "../support/run-code";
import type { SkillFixture } from "../support/skill";

function skillOf({ call, top, files, config: own = { timeout: TIMEOUT } }: Row): SkillFixture {
  return providerSkill("hostile", { bad: call }, { config: own, ...(top ? { top } : {}), ...(files ? { files } : {}) });
}

const wordsOf = (result: ToolResult) => result.content.map((block) => String(block.text ?? "")).join("\n");

/** The expected log line of the operator. */
function toldOf(result: ToolResult): string[] {
  const words = wordsOf(result);
  if (!result.isError || words.includes("returned an invalid result")) return [];
  if (words === timedOut) return ["timeout"];
  const why = words.replace("Tool 'bad' failed: ", "");
  return /^it (returned|waits)|memory/.test(why) ? [why] : ["failed"];
}

describe("hostile providers", () => {
  it.each(Object.entries(CORPUS))("%s", async (_, row) => {
    let endings: HostEnding[] = [];
    let took = 0;
    const attempt = async () => {
      const began = Date.now();
      endings = [];
      const ended = await callOne(skillOf(row), "bad", { host: { ended: (ending) => endings.push(ending) } });
      took = Date.now() - began;
      return ended;
    };
    let result = await attempt();
    // On a busy machine the time limit can come first.
    for (let again = 0; again < 4 && wordsOf(result) === timedOut && row.sees !== timedOut; again++)
      result = await attempt();
    if (typeof row.sees === "string") expect(wordsOf(result)).toBe(row.sees);
    else expect(wordsOf(result)).toMatch(row.sees);
    expect(result.isError ?? false).toBe(row.isError ?? true);
    // Every run without a result is logged, and never with text of the code.
    const told = endings.map(({ outcome, reason }) => reason ?? outcome);
    // Either the isolate or the gateway can be the first to stop a flood of calls.
    if (wordsOf(result).includes("it called the gateway")) expect(told).toHaveLength(1);
    else expect(told).toEqual(toldOf(result));
    // It ends one second after its deadline at the latest; on a busy machine after five times that. It must not hang.
    expect(took).toBeLessThan(5 * (TIMEOUT + 1) * 1_000);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(result.structuredContent ?? {})).not.toContain("__proto__");
    // Neither another call nor another user's call of the same code is affected.
    const sound = await callOne(providerSkill("sound", { good: "return 'good'" }), "good");
    expect(sound).toEqual({ content: [{ type: "text", text: "good" }] });
  });
});

describe("hostile scripts", () => {
  /** The same code as a script. Code that needs a provider's module stays there. */
  const scripts = Object.entries(CORPUS).filter(([, { top, files }]) => top === undefined && files === undefined);

  it.each(scripts)("%s", async (_, { call, sees }) => {
    const script = `export default async function (context) { const args = {}; ${call} }`;
    const began = Date.now();
    const run = await runOne({ name: "hostile", files: { "scripts/bad.js": script } }, "scripts/bad.js", { ms: 1_000 });
    expect(Date.now() - began).toBeLessThan(5 * (TIMEOUT + 1) * 1_000);
    if (sees === tooLong) expect(run.stderr).toContain("RangeError: It ran for more than");
    if (sees === timedOut && run.killed)
      expect(run).toMatchObject({ exit_code: 137, stderr: "The script was ended after 1s." });
    expect(run.stdout.length + run.stderr.length).toBeLessThan(2 * CODE_LIMITS.outputChars + 1_000);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const sound = { name: "sound", files: { "scripts/good.js": "console.log('good')" } };
    expect(await runOne(sound, "scripts/good.js")).toMatchObject({ exit_code: 0, stdout: "good\n" });
  });
});
