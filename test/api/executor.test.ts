// Which skills' scripts are sent to the executor: setting × visibility.

import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { keyFor } from "../support/call";
import { publishOwn, publishPublic, talk } from "../support/chat-turns";
import type { SkillFixture } from "../support/skill";
import { changeSettings } from "../support/world/main";

const URL_OF_EXECUTOR = "https://executor.example";
const EXECUTOR = { EXECUTOR_URL: URL_OF_EXECUTOR, EXECUTOR_KEY: "the key of an executor of the tests" };
const FILES = { "scripts/sums.py": "import numpy\n", "scripts/plain.js": "console.log('plain')" };
const skill = (name: string): SkillFixture => ({ name, files: FILES });

let key: string;
beforeAll(async () => {
  key = await keyFor("executor-user");
  changeSettings({ CODE_SCOPES: "users" });
  await publishPublic(skill("executor-public"));
  await publishOwn(key, skill("executor-own"));
});
afterAll(() => changeSettings(null));
afterEach(() => vi.restoreAllMocks());

/** Runs a script and returns its result, and whether the executor received it. */
async function run(settings: Record<string, string>, name: string, path: string) {
  vi.restoreAllMocks();
  changeSettings({ CODE_SCOPES: "users", ...settings });
  const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    const form = new FormData();
    const result = { exit_code: 0, stdout: "from the executor", stderr: "", reason: null, left: [] };
    form.set("result", new File([JSON.stringify(result)], "result.json"));
    return new Response(form);
  });
  const chat = await talk({ key });
  const { structuredContent } = await chat.use("execute_skill_script", { skill_name: name, script_path: path });
  const urls = asked.mock.calls.map(([url]) => String(url));
  return { stdout: structuredContent?.stdout, executor: structuredContent?.executor, urls };
}

const SENT = { stdout: "from the executor", executor: "remote", urls: [`${URL_OF_EXECUTOR}/v1/runs`] };

it("without further settings only scripts of public skills that need it are sent", async () => {
  expect(await run(EXECUTOR, "executor-public", "scripts/sums.py")).toEqual(SENT);
  expect(await run(EXECUTOR, "executor-public", "scripts/plain.js")).toMatchObject({ stdout: "plain\n", urls: [] });
  const own = await run(EXECUTOR, "executor-own", "scripts/plain.js");
  expect(own).toMatchObject({ stdout: "plain\n", urls: [] });
});

it("the scripts of a user's own skills are sent only if EXECUTOR_SCOPES says so", async () => {
  expect((await run(EXECUTOR, "executor-own", "scripts/sums.py")).urls).toEqual([]);
  expect((await run({ ...EXECUTOR, EXECUTOR_SCOPES: "groups" }, "executor-own", "scripts/sums.py")).urls).toEqual([]);
  expect(await run({ ...EXECUTOR, EXECUTOR_SCOPES: "users" }, "executor-own", "scripts/sums.py")).toEqual(SENT);
});
