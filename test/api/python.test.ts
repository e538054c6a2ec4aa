// Python skills, from publishing to the result that the model receives.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { keyFor } from "../support/call";
import { publishOwn, publishPublic, talk, textOf } from "../support/chat-turns";
import { objectOf } from "../support/clock";
import { DIAGRAMS } from "../support/python-providers";
import { moveSkill } from "../support/registry";

it("run a script when the model asks for it", async () => {
  const script = "import json, sys\nprint(json.dumps({'args': sys.argv[1:], 'sum': sum(map(int, sys.stdin))}))";
  await publishPublic({ name: "sums", files: { "scripts/sum.py": script, "scripts/bad.py": "raise KeyError('x')" } });
  const chat = await talk("alice");
  const run = (script_path: string, more = {}) =>
    chat.use("execute_skill_script", { skill_name: "sums", script_path, ...more });
  const asked = { args: ["a"], input: "1\n2\n" };
  expect((await run("scripts/sum.py", asked)).structuredContent).toMatchObject({
    exit_code: 0,
    stdout: '{"args": ["a"], "sum": 3}\n',
    stderr: "",
    killed: false,
  });
  const bad = await run("scripts/bad.py");
  expect([bad.isError, textOf(bad)]).toEqual([true, expect.stringContaining("KeyError: 'x'")]);
});

it("offer the tools of a provider, and call them", async () => {
  await publishPublic(DIAGRAMS);
  const chat = await talk("alice");
  await chat.load("diagram-tools");
  expect(await chat.tools()).toEqual(expect.arrayContaining(["render_diagram", "read_diagram_reference"]));
  expect(JSON.parse(textOf(await chat.use("render_diagram", { code: "pie x" })))).toMatchObject({ type: "pie" });
  expect(textOf(await chat.use("render_diagram", {}))).toContain("code");
});

it("are asked for their tools when they are published, and never in a conversation", async () => {
  const { version_id: id } = await publishPublic({ ...DIAGRAMS, name: "described-early" });
  await vi.waitFor(async () => expect(await described(id)).not.toBeNull(), 20_000);
  const chat = await talk("alice");
  const asked = await runInDurableObject(objectOf(chat.route.split("/").at(-1) ?? "", "alice"), (instance) => {
    const get = vi.fn(() => {
      throw new Error("no isolate is needed");
    });
    Object.defineProperty(instance, "env", { value: { ...env, LOADER: { get, load: get } } });
    return get;
  });
  await chat.load("described-early");
  const offered = await chat.tools();
  expect(offered).toEqual(expect.arrayContaining(["render_diagram", "read_diagram_reference"]));
  expect(asked).not.toHaveBeenCalled();
});

it("of a version that was not published to run are described by the first conversation that loads it, and stored", async () => {
  const own = await publishOwn(await keyFor("carol"), { ...DIAGRAMS, name: "described-late" });
  const seeded = { id: own.id, name: "described-late", scope: "user:carol", versionId: own.version_id };
  await moveSkill(seeded, "public");
  expect(await described(own.version_id)).toBeNull();
  const chat = await talk("bob");
  await chat.load("described-late");
  expect(await chat.tools()).toEqual(expect.arrayContaining(["render_diagram"]));
  await vi.waitFor(async () => expect(await described(own.version_id)).toContain("render_diagram"), 20_000);
});

function described(version: string) {
  const asked = env.DB.prepare("SELECT described FROM version_code WHERE version_id = ?").bind(version);
  return asked.first<string>("described");
}
