// `skillgate pull`: downloads skills into a folder, by name and by task, completely or not at all.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { skillZip } from "../support/skill";
import { Stub, send, WorkFolder } from "../support/skillgate";

const S = "/api/v1/kinds/skills";
const ZIPS: Record<string, Uint8Array> = Object.fromEntries(
  ["tide", "moon", "draft"].map((name) => [
    name,
    skillZip({ name, version: "1.0.0", files: { "data/a.txt": `of ${name}` } }),
  ]),
);
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let work: WorkFolder;
let stub: Stub;
/** The responses to downloads, by name. */
let ways: Record<string, "whole" | "half" | "other" | "absent" | "never">;
let reached: () => void;
let reaching: Promise<void>;

beforeEach(async () => {
  work = await WorkFolder.make();
  ways = {};
  reaching = new Promise((resolve) => {
    reached = resolve;
  });
  stub = await Stub.open((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stub");
    if (pathname === "/api/tasks/t1/skills") {
      const refs = Object.fromEntries(
        Object.entries(ZIPS).map(([name, zip]) => [name, { skill_id: `id-${name}`, content_hash: hashOf(zip) }]),
      );
      return send(response, 200, {
        task_id: "t1",
        skills: ["tide", "moon"],
        preload_skills: ["moon"],
        skill_refs: refs,
        user_selected_skills: ["moon"],
      });
    }
    if (pathname === S) {
      const name = searchParams.get("name") ?? "";
      const found = { metadata: { name, labels: { id: `id-${name}` } }, spec: {}, status: { version_id: "ver_1" } };
      return send(response, 200, { items: name in ZIPS ? [found] : [], next_cursor: null });
    }
    const name = /\/id-(\w+)\/download$/.exec(pathname)?.[1] ?? "";
    const zip = ZIPS[name] ?? new Uint8Array();
    const etag = { etag: `"sha256-${hashOf(zip)}"` };
    switch (ways[name] ?? "whole") {
      case "whole":
        return response.writeHead(200, etag).end(zip);
      case "other":
        return response.writeHead(200, etag).end(ZIPS.draft);
      case "half":
        response.writeHead(200, { ...etag, "content-length": String(zip.length) });
        return response.write(zip.subarray(0, 100), () => response.destroy());
      case "absent":
        return send(response, 404, { code: "SKILL_NOT_FOUND", detail: "Skill not found. Check the id or name." });
      case "never":
        response.writeHead(200, { ...etag, "content-length": String(zip.length) });
        response.write(zip.subarray(0, 100));
        return reached();
    }
  });
});
afterEach(async () => {
  stub.close();
  await work.remove();
});

const pull = (...args: string[]) => work.run("pull", ...args, "--url", stub.url, "--key", "sgw_k");
const text = (file: string) => readFile(path.join(work.folder, file), "utf8");

it("downloads by name into the agents' folder, over what was there", async () => {
  await work.write({ ".claude/skills/tide/old.txt": "old", ".claude/skills/mine/SKILL.md": "mine" });
  expect(await pull("tide")).toMatchObject({ code: 0, stdout: expect.stringContaining("tide  ") });
  expect(await work.files(".claude/skills")).toEqual([
    ...["mine", "mine/SKILL.md"],
    ...["tide", "tide/SKILL.md", "tide/data", "tide/data/a.txt"],
  ]);
});

it("refuses a file as the folder", async () => {
  await work.write({ out: "a file" });
  expect(await pull("tide", "--dir", "out")).toMatchObject({ code: 2, stderr: expect.stringContaining("is a file") });
  expect(await text("out")).toBe("a file");
});

it("brings all that a task uses, and says which the user selected", async () => {
  const ended = await pull("--task", "t1", "--dir", "out", "--json");
  expect(ended.code).toBe(0);
  const told = JSON.parse(ended.stdout);
  expect(told).toMatchObject({ success_count: 2, total_count: 2, skills: [{ name: "moon" }, { name: "tide" }] });
  expect(told.emphasis).toContain("`moon`");
  expect(told.emphasis).toContain(path.join("out", "moon", "SKILL.md"));
  expect(told.emphasis).not.toContain("tide");
  expect(await text("out/moon/data/a.txt")).toBe("of moon");
  expect(stub.seen.filter((line) => line.includes("/download")).every((line) => line.includes("task_id=t1"))).toBe(
    true,
  );
});

it("deletes skills that the task does not use, or keeps existing folders", async () => {
  await work.write({ "out/old/SKILL.md": "old", "out/tide/SKILL.md": "mine", "out/notes.txt": "stays" });
  expect((await pull("--task", "t1", "--dir", "out", "--skip-existing")).stdout).toContain("tide  exists, kept");
  expect([await text("out/tide/SKILL.md"), await text("out/old/SKILL.md")]).toEqual(["mine", "old"]);
  expect((await pull("--task", "t1", "--dir", "out", "--clear-cache")).code).toBe(0);
  expect(await work.files("out")).toEqual([
    ...["moon", "moon/SKILL.md", "moon/data", "moon/data/a.txt", "notes.txt"],
    ...["tide", "tide/SKILL.md", "tide/data", "tide/data/a.txt"],
  ]);
});

it.each([
  ["half", 4, "was interrupted"],
  ["other", 4, "The digest of the package 'tide' does not match"],
  ["absent", 5, "Skill not found. Check the id or name."],
] as const)("of a download that ends %s nothing is written and nothing is lost", async (way, code, told) => {
  ways.tide = way;
  await work.write({ "out/tide/SKILL.md": "as it was", "out/old/SKILL.md": "old" });
  const ended = await pull("--task", "t1", "--dir", "out", "--clear-cache");
  expect(ended).toMatchObject({ code, stderr: expect.stringContaining(told) });
  expect(await text("out/tide/SKILL.md")).toBe("as it was");
  // Nothing is deleted if a skill is missing.
  expect(await work.files("out")).toEqual([
    "moon",
    "moon/SKILL.md",
    "moon/data",
    "moon/data/a.txt",
    "old",
    "old/SKILL.md",
    "tide",
    "tide/SKILL.md",
  ]);
});

it.each(["SIGINT", "SIGTERM"] as const)("at %s it ends with 130, with nothing half-written", async (signal) => {
  ways.tide = "never";
  await work.write({ "out/tide/SKILL.md": "as it was" });
  const running = work.start(["pull", "tide", "--dir", "out", "--url", stub.url, "--key", "sgw_k"]);
  await reaching;
  running.child.kill(signal);
  expect(await running.ended).toMatchObject({ code: 130, stdout: "", stderr: expect.stringContaining("Interrupted") });
  expect(await work.files("out")).toEqual(["tide", "tide/SKILL.md"]);
  expect(await text("out/tide/SKILL.md")).toBe("as it was");
});

it("rejects names that lead out of the folder", async () => {
  const ended = await pull("../evil", "--dir", "out");
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("not a valid skill name")]);
  await expect(stat(path.join(work.folder, "evil"))).rejects.toThrow();
});

it("writes nothing where another skill came than was asked for", async () => {
  await work.write({ "out/draft/SKILL.md": "of somebody else" });
  ZIPS.moon = ZIPS.draft as Uint8Array;
  const ended = await work.run("pull", "moon", "--dir", "out", "--url", stub.url, "--key", "sgw_mine");
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("the package contains 'draft' instead") });
  expect(await readFile(path.join(work.folder, "out/draft/SKILL.md"), "utf8")).toBe("of somebody else");
});
