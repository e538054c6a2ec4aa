// The command `skillgate` with a running gateway: publish from an empty folder, roll back to an earlier version, and install into an
// agent's folder.

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Stub, skillText, tar, WorkFolder } from "../support/skillgate";
import { newPlace, start } from "./launcher";

let work: WorkFolder;
let host: Stub;
beforeAll(async () => {
  work = await WorkFolder.make();
  const archive = gzipSync(tar([{ path: "repo-1/moon/SKILL.md", text: skillText("moon", "Watch the moon.") }]));
  host = await Stub.open((_request, response) => response.end(archive));
});
afterAll(async () => {
  host.close();
  await work.remove();
});

it("signs in, begins, tries as a draft, publishes, rolls back, pulls by task, adds", async () => {
  const run = start(await newPlace());
  const gateway = await run.ready();
  const typed = (...args: string[]) => work.start(args).ended;
  const ok = async (...args: string[]) => {
    const ended = await typed(...args);
    if (ended.code !== 0) throw new Error(`${args.join(" ")}: ${ended.code} ${ended.stdout}${ended.stderr}`);
    return ended.stdout;
  };
  expect(await ok("login", "--url", gateway.url, "--key", gateway.key)).toContain("as admin");
  await ok("init", "tide-tables");
  const file = path.join(work.folder, "tide-tables", "SKILL.md");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/description: .*/, 'description: "Tells when the tide is high in a harbour."'));
  expect(await ok("check", "tide-tables")).toMatch(
    /tide-tables 0\.1\.0: valid, 1 files[\s\S]*in the list: \d+, when loaded: \d+/,
  );
  expect(await ok("dev", "tide-tables", "--once")).toContain(
    "conversation dev-tide-tables: draft:tide-tables is active in it",
  );
  expect(await ok("list", "--drafts")).toContain("draft:tide-tables");
  expect((await typed("info", "tide-tables")).code).toBe(5);
  expect(await ok("promote", "tide-tables")).toContain("tide-tables 0.1.0 was published as");
  await writeFile(file, (await readFile(file, "utf8")).replace("step by step", "one by one"));
  expect(await typed("push", "tide-tables")).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("for example to 0.1.1"),
  });
  await ok("push", "tide-tables", "--bump");
  expect(await ok("diff", "tide-tables")).toContain('-version: "0.1.0"\n+version: "0.1.1"');
  expect(await ok("search", "harbour", "tide")).toMatch(/^#1 {2}tide-tables {2}0\.1\.1/);
  await ok("activate", "tide-tables", "0.1.0");
  expect(await ok("versions", "tide-tables")).toMatch(/^ {3}0\.1\.1 [\s\S]*\n\* {2}0\.1\.0 /);
  // The digest that the program computes is the one of the gateway.
  const label = async (old: string, next: string, more: (text: string) => string = (same) => same) =>
    writeFile(file, more((await readFile(file, "utf8")).replace(`"${old}"`, `"${next}"`)));
  await work.write({ "tide-tables/evals/evals.json": JSON.stringify({ should_not_trigger: ["bake bread"] }) });
  await label("0.1.1", "0.1.2");
  expect(await ok("test", "tide-tables", "--record")).toContain("These files are not published yet.");
  expect(await ok("push", "tide-tables")).not.toContain("EVALS_REGRESSED");
  expect(await ok("test", "tide-tables", "--record")).toContain("They belong to version 0.1.2.");
  await label("0.1.2", "0.1.3", (text) =>
    text.replace("Tells when the tide is high in a harbour.", "Bakes bread.").replace(/(?<=\n---\n)[\s\S]*/, "Bake."),
  );
  const worse = await typed("test", "tide-tables", "--record");
  expect(worse).toMatchObject({ code: 1, stdout: expect.stringContaining("Passed with 0.1.2, and fails now:") });
  expect(await ok("push", "tide-tables")).toContain("EVALS_REGRESSED  1 test case that passes with version 0.1.2");
  await ok("activate", "tide-tables", "0.1.2");
  expect(await ok("activate", "tide-tables", "0.1.3")).toContain("EVALS_REGRESSED");
  await label("0.1.3", "0.1.4");
  await ok("push", "tide-tables", "--no-activate");
  expect(await ok("versions", "tide-tables")).toMatch(/^ {3}0\.1\.4 [\s\S]*\n\* {2}0\.1\.3 /);
  await ok("activate", "tide-tables", "0.1.0");
  const made = await gateway.fetch("/api/v1/conversations", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: "task-1", spec: { skills: ["tide-tables"] }, additional_skills: ["tide-tables"] }),
  });
  expect(made.status).toBe(201);
  const pulled = JSON.parse(await ok("pull", "--task", "task-1", "--dir", "out", "--json"));
  expect(pulled).toMatchObject({
    success_count: 1,
    total_count: 1,
    emphasis: expect.stringContaining("`tide-tables`"),
  });
  expect(await readFile(path.join(work.folder, "out", "tide-tables", "SKILL.md"), "utf8")).toContain("step by step");
  expect(await ok("add", "github:org/repo", "--source", host.url)).toContain("moon 1.0.0 was published as");
  expect(await ok("info", "moon")).toMatch(/version +1\.0\.0/);
  await ok("usage", "moon");
  await ok("yank", "tide-tables", "0.1.1");
});
