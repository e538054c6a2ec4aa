// Skills in Python, from publishing to what a model reads.

import { expect, it } from "vitest";
import { DIAGRAMS } from "../support/python-providers";
import { publishPublic, talk, textOf } from "../support/talk";

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
