// The cases in `evals/`, in the formats in common use, and the checks that need no model.

import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { differences, readCases } from "../../sdk/cli/evals";
import { run } from "../smoke/commands";
import { Stub, send, skillText, WorkFolder } from "../support/skillgate";

describe("a file of cases", () => {
  const routing = (text: unknown) =>
    readCases("evals/evals.json", JSON.stringify(text)).routing.map(({ prompt, isMeant }) => [prompt, isMeant]);

  it("is read in each of its forms", () => {
    expect(
      routing({
        skill_name: "x",
        evals: [
          { id: 1, prompt: "a" },
          { id: "n", prompt: "b", should_trigger: false },
        ],
      }),
    ).toEqual([
      ["a", true],
      ["b", false],
    ]);
    expect(
      routing([
        { query: "a", should_trigger: true },
        { query: "b", should_trigger: false },
      ]),
    ).toEqual([
      ["a", true],
      ["b", false],
    ]);
    expect(routing({ should_trigger: ["a"], should_not_trigger: ["b"] })).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  it("lists expectations that need a model, and files that cannot be read", () => {
    const cases = readCases(
      "evals/evals.json",
      JSON.stringify({
        evals: [
          { id: 7, prompt: "a", expected_output: "b", expectations: ["polite"], assertions: ["response_contains:x"] },
        ],
        checks: [
          { script: "a.js", expect: {} },
          { script: "a.js", expects: {} },
        ],
      }),
    );
    expect(cases.unjudged).toEqual(["7: expected_output", "7: response_contains:x", "7: polite"]);
    expect([cases.checks.length, cases.problems]).toEqual([1, [expect.stringContaining("checks[1]")]]);
    expect(readCases("evals/x.json", "{").problems).toEqual([
      expect.stringContaining("evals/x.json is not valid JSON"),
    ]);
    expect(readCases("evals/x.json", '{"evals":7}').problems).toEqual([
      expect.stringContaining("has an unknown format"),
    ]);
  });

  it.each([
    [{}, { exit: 0 }, 0],
    [{}, { exit: 1 }, 1],
    [{ exit: 3 }, { exit: 3 }, 0],
    [{ stdout: "a" }, { exit: 0, stdout: "a\n" }, 0],
    [{ stdout_contains: ["a", "b"] }, { exit: 0, stdout: "a c" }, 1],
    [{ stdout_json: { a: 1, b: [2] } }, { exit: 0, stdout: '{"b":[2],"a":1}' }, 0],
    [{ files: { "out.txt": "x" } }, { exit: 0, files: { "/workspace/out.txt": "x" } }, 0],
    [{ files: { "out.txt": "x" } }, { exit: 0, files: {} }, 1],
    [{ files: { "out.txt": null } }, { exit: 0, files: {} }, 1],
    [{}, { isError: true, text: "" }, 1],
    [{ is_error: true, text_contains: "no" }, { isError: true, text: "no such" }, 0],
    [{ json: { a: 1 } }, { isError: false, text: '{"a":2}' }, 1],
  ])("%j of %j differs %i times", (expected, ran, count) => {
    expect(differences(expected, ran)).toHaveLength(count);
  });
});

describe("skillgate test", () => {
  let work: WorkFolder;
  let stub: Stub;
  const asked: string[][] = [];
  beforeAll(async () => {
    work = await WorkFolder.make();
    stub = await Stub.open((request, response) => {
      const body = request.body;
      const zip = body.subarray(body.indexOf("PK\u0003\u0004"), body.lastIndexOf("\r\n--"));
      const files = unzipSync(new Uint8Array(zip));
      const { evals } = JSON.parse(new TextDecoder().decode(files["tide/evals/evals.json"]));
      const prompts: string[] = evals.map(({ prompt }: { prompt: string }) => prompt);
      asked.push(prompts);
      const rank = (prompt: string) => (prompt.startsWith("near") ? 1 : prompt.startsWith("far") ? 9 : null);
      const told = prompts.map((prompt) => ({ prompt, rank: 1, rank_without_examples: rank(prompt), ahead: ["moon"] }));
      send(response, 200, {
        valid: true,
        issues: [],
        warnings: [],
        tokens: null,
        routing: { prompts: told, neighbours: [] },
        scripts: null,
      });
    });
  });
  afterAll(async () => {
    stub.close();
    await work.remove();
  });
  const test = (...args: string[]) => work.run("test", "tide", ...args, "--url", stub.url, "--key", "sgw_k");

  it("judges prompts by their place without themselves, twenty at a time, and counts what it cannot judge", async () => {
    const many = Array.from({ length: 21 }, (_, n) => ({ id: n, prompt: `near ${n}`, expected_output: "x" }));
    await work.write({
      "tide/SKILL.md": skillText("tide"),
      "tide/evals/evals.json": JSON.stringify({
        evals: [...many, { id: "no", prompt: "nothing", should_trigger: false }],
      }),
      "tide/evals/more.json": JSON.stringify({ should_not_trigger: ["far off"] }),
    });
    const ended = await test("--json");
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ passed: 23, failed: 0, not_judged: { length: 21 } });
    expect(asked.map((prompts) => prompts.length)).toEqual([20, 3]);
  });

  it("fails if a skill is not found or should not be found, and names the skills ahead of it", async () => {
    await work.write({
      "tide/evals/evals.json": JSON.stringify({ should_trigger: ["far away"], should_not_trigger: ["near by"] }),
      "tide/evals/more.json": "[]",
    });
    const ended = await test();
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("FAIL  routing +1  #9  far away, behind moon");
    expect(ended.stdout).toContain("FAIL  routing -1  #1 (must not be among the first three)  near by");
    expect(ended.stdout).toContain("tide: 0 passed, 2 failed, 0 not judged");
  });

  it("does not count as passed what it cannot run", async () => {
    await work.write({ "tide/evals/evals.json": JSON.stringify({ checks: [{ script: "a.js", expect: {} }] }) });
    const ended = await test();
    expect([ended.code, ended.stdout]).toEqual([4, expect.stringContaining("not run: 1 checks cases")]);
    expect(ended.stdout).toContain("tide: 0 passed, 0 failed, 0 not judged");
  });
});

it("npm run skill -- test runs scripts and tools on the bench", { tags: ["slow"] }, async () => {
  const work = await WorkFolder.make();
  const checks = [
    {
      script: "scripts/sum.js",
      input: "[1,2]",
      files: { "in.txt": "3" },
      expect: { stdout_json: 6, files: { "out.txt": "6" } },
    },
    { script: "scripts/sum.js", input: "no", expect: { exit: 1 } },
    { script: "scripts/sum.js", input: "[1]", files: { "in.txt": "1" }, expect: { stdout: "3" } },
  ];
  const source = `const fs = require("fs");
const sum = JSON.parse(fs.readFileSync(0, "utf8")).reduce((a, b) => a + b, Number(fs.readFileSync("in.txt", "utf8")));
fs.writeFileSync("out.txt", String(sum)); console.log(sum);`;
  await work.write({ "adder/SKILL.md": skillText("adder"), "adder/scripts/sum.js": source });
  await work.write({ "adder/evals/evals.json": JSON.stringify({ checks }) });
  const ended = await run("skill", ["test", "adder"], { env: { INIT_CWD: work.folder } });
  await work.remove();
  expect(ended.stdout).toContain("ok    check 1  scripts/sum.js");
  expect(ended.stdout).toContain("ok    check 2  scripts/sum.js");
  expect(ended.stdout).toContain('FAIL  check 3  scripts/sum.js\n      stdout is "2", expected "3"');
  expect(ended).toMatchObject({ code: 1 });
});
