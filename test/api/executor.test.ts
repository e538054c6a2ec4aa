// Which skills' scripts are sent to the executor, setting × visibility, and what admins see of it.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, call, keyFor } from "../support/call";
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

describe("GET /api/v1/executor", () => {
  const layer = { id: "a".repeat(64), requirements: ["numpy==2.1.0"], bytes: 1_000, used: Date.UTC(2026, 10, 26) };
  const offer = {
    protocol: 1,
    name: "bubblewrap",
    packages: { python: { NumPy: "1.24.2" } },
    modules: {},
    commands: [],
  };
  const ask = async (url: string | null, answer: () => Response, as = ADMIN_KEY) => {
    vi.restoreAllMocks();
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer());
    changeSettings(url === null ? {} : { ...EXECUTOR, EXECUTOR_URL: url });
    return call("GET", "/api/v1/executor", { key: as });
  };

  it("returns admins what the executor has and has installed", async () => {
    const answer = await ask("https://about.example", () =>
      Response.json({ ...offer, install: "pinned", layers: [layer] }),
    );
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        ...{ state: "ok", problem: null, name: "bubblewrap", install: "pinned", packages: { numpy: "1.24.2" } },
        layers: [{ id: layer.id, requirements: layer.requirements, bytes: 1_000, used_at: "2026-11-26T00:00:00.000Z" }],
      },
    ]);
  });

  it("says why there is nothing", async () => {
    const none = { name: null, install: null, packages: {}, layers: [] };
    const failed = await ask("https://failing.example", () =>
      Response.json({ error: { code: "EXECUTOR_UNAVAILABLE", message: "Install it." } }, { status: 503 }),
    );
    expect(await failed.json()).toEqual({ state: "failed", problem: "Install it.", ...none });
    const wrong = await ask("https://wrong.example", () =>
      Response.json({ ...offer, layers: [{ ...layer, used: "x" }] }),
    );
    expect(await wrong.json()).toEqual({
      state: "failed",
      problem: "The executor's description is invalid (layers.0.used). See docs/executor.md.",
      ...none,
    });
    expect(await (await ask(null, () => new Response())).json()).toEqual({ state: "absent", problem: null, ...none });
    changeSettings({ EXECUTOR_ADVICE: "bwrap is not installed. Install it: apt-get install bubblewrap." });
    expect(await (await call("GET", "/api/v1/executor", { key: ADMIN_KEY })).json()).toEqual({
      state: "absent",
      problem: expect.stringContaining("apt-get install bubblewrap"),
      ...none,
    });
    changeSettings({ EXECUTOR_URL: "https://without-key.example" });
    expect(await (await call("GET", "/api/v1/executor", { key: ADMIN_KEY })).json()).toEqual({
      state: "failed",
      problem: expect.stringContaining("EXECUTOR_KEY"),
      ...none,
    });
  });

  it("is for admins", async () => {
    const refused = await ask("https://about.example", () => Response.json(offer), key);
    expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ code: "ADMIN_ONLY" })]);
  });
});
