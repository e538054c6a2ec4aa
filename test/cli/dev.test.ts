// `skillgate dev` and other long-running commands: each save becomes a draft, and Ctrl-C ends the command.

import { afterEach, beforeEach, expect, it } from "vitest";
import { Stub, send, skillText, WorkFolder } from "../support/skillgate";

let work: WorkFolder;
let stub: Stub;
/** Names and instructions of pushed drafts, in order. */
let pushes: string[];
let waiting: { wanted: number; go: () => void }[];
let settings: { additional_skills?: string[] };

/** Resolves after this number of pushes. */
const pushed = (wanted: number) =>
  new Promise<void>((go) => {
    if (pushes.length >= wanted) go();
    else waiting.push({ wanted, go });
  });

beforeEach(async () => {
  [pushes, waiting, settings] = [[], [], {}];
  work = await WorkFolder.make();
  stub = await Stub.open((request, response) => {
    const path = new URL(request.url ?? "/", "http://stub").pathname;
    if (path === "/api/v1/conversations") {
      settings = { ...settings, ...JSON.parse(request.body.toString()) };
      return send(response, 200, { id: "c", settings });
    }
    if (path.endsWith("/turns")) {
      send(response, 200, { active: (settings.additional_skills ?? []).map((skill) => ({ skill })), warnings: [] });
      pushes.push(path);
      for (const { wanted, go } of waiting) if (pushes.length >= wanted) go();
      return;
    }
    const name = path.split("/").at(-1);
    const draft = { reference: `draft:${name}`, name, author: "ann", version: "1.0.0", version_id: "ver_1", tokens: 9 };
    return send(response, 201, { ...draft, expires_at: "2026-12-06T00:00:00.000Z", warnings: [] });
  });
  await work.write({ "tide/SKILL.md": skillText("tide") });
});
afterEach(async () => {
  stub.close();
  await work.remove();
});

it("pushes each save once it is valid, has the conversation choose it, and ends with Ctrl-C", async () => {
  const running = work.start(["dev", "tide", "--url", stub.url, "--key", "sgw_k", "--users", "bob"]);
  await pushed(1);
  await work.write({ "tide/SKILL.md": skillText("tide", "Changed.") });
  await pushed(2);
  running.child.kill("SIGINT");
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(ended.stdout).toContain("draft:tide is ver_1");
  expect(ended.stdout).toContain("conversation dev-tide: draft:tide is active in it");
  expect(settings).toMatchObject({ id: "dev-tide", additional_skills: ["draft:tide"] });
});

it("leaves the draft be while the folder is not valid", async () => {
  await work.write({ "tide/SKILL.md": "---\nname: tide\n---\n" });
  const ended = await work.run("dev", "tide", "--once", "--url", stub.url, "--key", "sgw_k");
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("the draft was not changed")]);
  expect(stub.seen).toEqual([]);
});

it("only checks with --local, without a request", async () => {
  const ended = await work.run("dev", "tide", "--once", "--local");
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("tide is valid") });
  expect(stub.seen).toEqual([]);
});
