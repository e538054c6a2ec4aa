// Every command of the built program, in its own process: when the response is interrupted, when the user presses Ctrl-C, and without a
// gateway. It prints a clear message, ends with the right exit code, and leaves no incomplete files.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { COMMANDS } from "../../sdk/cli/main";
import { type Ended, Stub, skillText, WorkFolder } from "../support/skillgate";

/** One form of each command that sends requests. */
const ONLINE: [string, string[]][] = [
  ["login", []],
  ["doctor", []],
  ["list", []],
  ["search", ["tides"]],
  ["info", ["tide"]],
  ["versions", ["tide"]],
  ["diff", ["tide"]],
  ["activate", ["tide", "1.0.0"]],
  ["yank", ["tide", "1.1.0"]],
  ["unyank", ["tide", "1.1.0"]],
  ["usage", ["tide"]],
  ["promote", ["tide"]],
  ["push", ["tide"]],
  ["dev", ["tide", "--once"]],
  ["pull", ["tide", "--dir", "out"]],
  ["add", ["github:org/skills", "--dir", "out"]],
  ["submit", ["tide", "--to", "public"]],
  ["review", ["list"]],
  ["env", ["tide"]],
  ["network", ["tide"]],
  ["update", ["tide"]],
  ["import", ["github:org/skills"]],
];
/** Other forms of these commands. */
const FORMS: [string, string[]][] = [
  ["list", ["--drafts"]],
  ["diff", ["./tide"]],
  ["push", ["tide", "--draft"]],
  ["pull", ["--task", "t1", "--dir", "out"]],
  ["add", ["SITE", "--dir", "out"]],
  ["add", ["github:org/skills", "--all"]],
];
/** These need no complete response: the status is enough, or they report what they could not check. */
const CONTENT: [string, string[]][] = [
  ["promote", ["tide", "--discard"]],
  ["check", ["tide"]],
  ["test", ["tide"]],
];
const BUMP: [string, string[]] = ["push", ["tide", "--bump"]];
/** Commands that need no gateway, or end differently without one: their exit codes and their output. */
const LOCAL: [string, string[], number, RegExp][] = [
  ["init", ["moon"], 0, /moon/],
  ["pack", ["tide", "--out", "tide.zip"], 0, /tide\.zip: \d+ bytes/],
  ["call", ["tide", "scripts/x.js"], 2, /checkout/],
  ["verify", ["tide", "--attestation", "none.json", "--keys", "none.json"], 2, /none\.json cannot be read as JSON/],
  ["trust", ["http://127.0.0.1:1"], 4, /does not respond/],
];

it("lists every command", () => {
  const listed = [...ONLINE, ...CONTENT, ...LOCAL].map(([name]) => name);
  expect([...new Set(listed)].sort()).toEqual(Object.keys(COMMANDS).sort());
});

let work: WorkFolder;
let stub: Stub;
let before: string[];
beforeAll(async () => {
  work = await WorkFolder.make();
  const evals = JSON.stringify([{ query: "When is high water?", should_trigger: true }]);
  await work.write({ "tide/SKILL.md": skillText("tide"), "tide/evals/cases.json": evals });
  before = await work.files();
});
afterEach(() => stub?.close());
afterAll(() => work.remove());

const typed = (args: string[], name: string) => [
  ...args.map((arg) => arg.replace("SITE", stub.url)),
  ...["--url", stub.url, "--key", "sgw_good"],
  ...(name === "add" ? ["--source", stub.url] : []),
];
const kept = () => work.files(".config");

describe("an answer that breaks off", () => {
  beforeEach(async () => {
    stub = await Stub.open((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"items":[', () => response.destroy());
    });
  });
  const expectRefusal = async (ended: Ended) => {
    expect(ended).toMatchObject({ code: 4, stdout: "" });
    expect(ended.stderr).toMatch(/interrupted|is cut off|does not respond|cannot be unpacked/);
    expect(ended.stderr).not.toMatch(/ {4}at |undefined/);
    expect([await work.files(), await kept()]).toEqual([before, []]);
  };

  it.each(ONLINE)("%s %j says so, and ends with 4", async (name, args) => {
    await expectRefusal(await work.start([name, ...typed(args, name)]).ended);
  });

  it.each(FORMS)("%s %j says so, and ends with 4", async (name, args) => {
    await expectRefusal(await work.run(name, ...typed(args, name)));
  });
});

it.each(LOCAL)("%s %j ends without a gateway", async (name, args, code, output) => {
  const local = await WorkFolder.make();
  await local.write({ "tide/SKILL.md": skillText("tide") });
  const ended = await local.start([name, ...args]).ended;
  await local.remove();
  expect([ended.code, `${ended.stdout}${ended.stderr}`]).toEqual([code, expect.stringMatching(output)]);
});

describe("Ctrl-C while the other side is silent", () => {
  it.each([...ONLINE, ...FORMS, ...CONTENT, BUMP])("%s %j ends with 130 at once", async (name, args) => {
    let reached = () => {};
    const isAsked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    stub = await Stub.open(() => reached());
    const running = work.start([name, ...typed(args, name)]);
    await isAsked;
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130, stdout: "" });
    expect(ended.stderr).toContain("Interrupted. No incomplete files were left behind.\n");
    expect(ended.stderr).not.toContain("    at ");
    expect([await work.files(), await kept()]).toEqual([before, []]);
  });
});
