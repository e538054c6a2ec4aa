// The code in docs/sdk.md: each diff adds at most six lines to a streaming chat, which works before and after.

import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Harness, KEY, root } from "../support/harness";
import { startAiVendor } from "../support/sdk/ai-vendor";
import { startVendor } from "../support/vendors/server";

const gateway = new Harness();
const page = await readFile(path.join(root, "docs", "sdk.md"), "utf8");
const ORDER = "Sign every report with Aye.";
const LOAD = [{ name: "load_skill", input: { skill_name: "harbour" } }];
let folder: string;

beforeAll(async () => {
  const made = spawnSync(process.execPath, [path.join(root, "sdk", "build.mjs")], { encoding: "utf8" });
  expect(made.status, made.stdout).toBe(0);
  await mkdir(path.join(root, "dist"), { recursive: true });
  folder = await mkdtemp(path.join(root, "dist", "docs-"));
  await gateway.start();
  const body = `${ORDER}\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}`;
  await gateway.publish({ name: "harbour", description: "Reports.", body });
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

/** A separate process that runs two turns. */
function twoTurns(module: string, env: Record<string, string>) {
  const script = `
    import { reply } from ${JSON.stringify(module)};
    const messages = [];
    for (const text of ["How is the tide?", "And tomorrow?"]) {
      messages.push({ role: "user", content: text });
      const response = { write: (piece) => process.stdout.write(piece) };
      await reply({ chatId: ${JSON.stringify(path.basename(module))}, userId: "alice", messages, response, signal: new AbortController().signal });
      console.log();
    }`;
  return new Promise<{ stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: root, env: { PATH: process.env.PATH ?? "", ...env } };
    execFile(process.execPath, ["--input-type=module", "-e", script], options, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}

it("the README shows the first of these diffs", async () => {
  const readme = await readFile(path.join(root, "README.md"), "utf8");
  const [, shown] = /```diff\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(page).toContain(`\`\`\`diff openai\n${shown}\`\`\``);
});

describe.each(["openai", "responses", "anthropic", "ai-sdk"])("the diff of %s", (name) => {
  const [, diff = ""] = new RegExp(`\`\`\`diff ${name}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  const lines = diff.split("\n");
  const without = (mark: string) =>
    lines
      .filter((line) => !line.startsWith(mark))
      .map((line) => line.slice(1))
      .join("\n");

  it("adds at most six lines", () => {
    const added = lines.filter((line) => line.startsWith("+"));
    expect(added.length).toBeGreaterThan(0);
    expect(added.length).toBeLessThanOrEqual(6);
  });

  it.each([
    ["before", without("+")],
    ["after", without("-")],
  ])("streams %s", async (when, code) => {
    const module = path.join(folder, `${name}-${when}.mjs`);
    await writeFile(module, code);
    const vendor = name === "ai-sdk" ? await startAiVendor() : await startVendor();
    if (when === "after") vendor.plan.push(LOAD, [], []);
    const { stdout, stderr } = await twoTurns(module, {
      ...{
        GATEWAY_URL: gateway.url,
        GATEWAY_KEY: KEY,
        OPENAI_API_KEY: "none",
        ANTHROPIC_API_KEY: "none",
        AI_GATEWAY_API_KEY: "none",
      },
      ...{ OPENAI_BASE_URL: `${vendor.url}/v1`, ANTHROPIC_BASE_URL: vendor.url, AI_GATEWAY_BASE_URL: vendor.url },
    });
    await vendor.close();
    if ("refusals" in vendor) expect(vendor.refusals).toEqual([]);
    expect({ stdout, stderr }).toEqual({
      stdout: when === "after" ? "Said in step 2.\nSaid in step 3.\n" : "Said in step 1.\nSaid in step 2.\n",
      stderr: "",
    });
    expect(vendor.bodies.map((body) => body.split(ORDER).length - 1)).toEqual(when === "after" ? [0, 1, 1] : [0, 0]);
    // The loaded instructions are in the chat's stored history: the call and its result.
    if (when === "after")
      expect(vendor.bodies[2]).toMatch(
        /skill_name[^{}]*harbour.*(?:tool_result|tool_call_id|function_call_output|tool-result)/,
      );
  });
});

it("the printed code type-checks", { tags: ["slow"] }, async () => {
  const [, code = ""] = /## The client\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];
  await writeFile(path.join(folder, "client.ts"), code);
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(
    process.execPath,
    [compiler, "--ignoreConfig", ...options, path.join(folder, "client.ts")],
    { encoding: "utf8" },
  );
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
});
