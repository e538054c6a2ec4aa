// Every command that sends requests, when the response is interrupted and when the user presses Ctrl-C: a clear message, the right exit
// code, and no incomplete files.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Stub, skillText, WorkFolder } from "../support/skillgate";

const COMMANDS: [string, string[]][] = [
  ["login", []],
  ["doctor", []],
  ["list", []],
  ["list", ["--drafts"]],
  ["search", ["tides"]],
  ["info", ["tide"]],
  ["versions", ["tide"]],
  ["diff", ["tide"]],
  ["diff", ["./tide"]],
  ["activate", ["tide", "1.0.0"]],
  ["yank", ["tide", "1.1.0"]],
  ["unyank", ["tide", "1.1.0"]],
  ["usage", ["tide"]],
  ["promote", ["tide"]],
  ["push", ["tide"]],
  ["push", ["tide", "--draft"]],
  ["dev", ["tide", "--once"]],
  ["pull", ["tide", "--dir", "out"]],
  ["pull", ["--task", "t1", "--dir", "out"]],
  ["add", ["github:org/skills", "--dir", "out"]],
  ["add", ["SITE", "--dir", "out"]],
  ["add", ["github:org/skills", "--all"]],
];
/** These need no complete response: the status is enough, or they report what they could not check. */
const CONTENT: [string, string[]][] = [
  ["promote", ["tide", "--discard"]],
  ["check", ["tide"]],
  ["test", ["tide"]],
];

let work: WorkFolder;
let stub: Stub;
let before: string[];
beforeAll(async () => {
  work = await WorkFolder.make();
  const evals = JSON.stringify([{ query: "When is high water?", should_trigger: true }]);
  await work.write({ "tide/SKILL.md": skillText("tide"), "tide/evals/cases.json": evals });
  before = await work.files();
});
afterEach(() => stub.close());
afterAll(() => work.remove());

const typed = (args: string[], name: string) => [
  ...args.map((arg) => arg.replace("SITE", stub.url)),
  ...["--url", stub.url, "--key", "sgw_good"],
  ...(name === "add" ? ["--source", stub.url] : []),
];
const kept = () => work.files(".config");

describe("an answer that breaks off", () => {
  it.each(COMMANDS)("%s %j says so, and ends with 4", async (name, args) => {
    stub = await Stub.open((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"items":[', () => response.destroy());
    });
    const ended = await work.run(name, ...typed(args, name));
    expect(ended).toMatchObject({ code: 4, stdout: "" });
    expect(ended.stderr).toMatch(/interrupted|is cut off|does not respond|cannot be unpacked/);
    expect(ended.stderr).not.toMatch(/ {4}at |undefined/);
    expect([await work.files(), await kept()]).toEqual([before, []]);
  });
});

describe("Ctrl-C while the other side is silent", () => {
  it.each([...COMMANDS, ...CONTENT])("%s %j ends with 130 at once", async (name, args) => {
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
    expect(ended.stderr).toContain("Interrupted. No incomplete files were left behind.");
    expect([await work.files(), await kept()]).toEqual([before, []]);
  });
});
