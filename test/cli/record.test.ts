// `skillgate test --record`: what is sent, what is printed, and when nothing is recorded.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { packFolder, readSkill } from "../../sdk/cli/folder";
import { Stub, send, skillText, WorkFolder } from "../support/skillgate";

const runSchema = z.object({
  digest: z.string(),
  runner: z.string(),
  cases: z.array(z.object({ name: z.string(), passed: z.boolean(), reason: z.string().optional() })),
});
const askedSchema = z.object({ evals: z.array(z.object({ prompt: z.string() })) });

let work: WorkFolder;
let stub: Stub;
let sent: z.infer<typeof runSchema>[] = [];
let skills: object[] = [];
let answer: object = {};
/** Runs while the gateway ranks the prompts. */
let meanwhile: () => Promise<void> = async () => {};

const RECORDED = { id: "evr_1", version_id: "ver_2", version: "2.0.0", passed: 1, failed: 0, regressions: null };
const SKILL = { metadata: { name: "tide", labels: { id: "skl_1" } }, spec: {}, status: { version_id: "ver_2" } };

beforeAll(async () => {
  work = await WorkFolder.make();
  stub = await Stub.open(async (request, response) => {
    if (request.method === "GET") return send(response, 200, { items: skills, next_cursor: null });
    if (request.url === "/api/v1/kinds/skills/skl_1/evals") {
      sent.push(runSchema.parse(JSON.parse(request.body.toString())));
      return send(response, 201, answer);
    }
    await meanwhile();
    const { body } = request;
    const zip = body.subarray(body.indexOf("PK\u0003\u0004"), body.lastIndexOf("\r\n--"));
    const file = unzipSync(new Uint8Array(zip))["tide/evals/evals.json"];
    const prompts = askedSchema.parse(JSON.parse(new TextDecoder().decode(file))).evals.map(({ prompt }) => prompt);
    const rank = (prompt: string) => (prompt.startsWith("near") ? 1 : 9);
    send(response, 200, {
      ...{ valid: true, issues: [], warnings: [], tokens: null, scripts: null },
      routing: {
        prompts: prompts.map((prompt) => ({ prompt, rank: 1, rank_without_examples: rank(prompt), ahead: ["moon"] })),
        neighbours: [],
      },
    });
  });
});
afterAll(async () => {
  stub.close();
  await work.remove();
});
beforeEach(async () => {
  [sent, skills, answer, meanwhile] = [[], [SKILL], RECORDED, async () => {}];
  await work.write({ "tide/SKILL.md": skillText("tide") });
});

const cases = (evals: object) => work.write({ "tide/evals/evals.json": JSON.stringify(evals) });
const test = (...args: string[]) => work.run("test", "tide", ...args, "--url", stub.url, "--key", "sgw_k");
const digest = async () =>
  (await readSkill(await packFolder(path.join(work.folder, "tide")), "tide.zip")).package?.digest;

it("sends each case with a name that stays in the next version, and the digest of the folder", async () => {
  await cases({ should_trigger: ["near by", "far off"], should_not_trigger: ["far away"] });
  const ended = await test("--record");
  expect(ended.code).toBe(1);
  expect(sent).toEqual([
    {
      digest: await digest(),
      runner: "skillgate test",
      cases: [
        { name: "routing: near by", passed: true },
        { name: "routing: far off", passed: false, reason: "rank #9, behind moon" },
        { name: "not routing: far away", passed: true },
      ],
    },
  ]);
  expect(ended.stdout).toContain("The results are recorded. They belong to version 2.0.0.");
});

it("numbers cases of the same name, and prints nothing that a terminal interprets", async () => {
  await cases({ should_trigger: ["near\u001b[2J x", "near\u001b[2J x", `near ${"y".repeat(300)}`] });
  answer = {
    ...RECORDED,
    regressions: { version_id: "ver_1", version: "1.0.0", cases: ["bad \u001b[2J \u202e name"] },
  };
  const ended = await test("--record");
  const names = sent[0]?.cases.map(({ name }) => name) ?? [];
  expect(names.slice(0, 2)).toEqual(["routing: near [2J x", "routing: near [2J x (2)"]);
  expect(names[2]?.length).toBeLessThanOrEqual(160);
  expect(ended.stdout).toContain("Passed with 1.0.0, and fails now:\n  bad \\u001b[2J \\u202e name");
  expect(ended.stdout).not.toContain("\u001b");
});

it("returns the regressions as JSON, and says that files are not published yet", async () => {
  await cases({ should_trigger: ["far off"] });
  const regressions = { version_id: "ver_1", version: "1.0.0", cases: ["routing: far off", "routing: gone"] };
  answer = { ...RECORDED, version_id: null, version: null, regressions };
  const ended = await test("--record", "--json");
  expect([ended.code, JSON.parse(ended.stdout)]).toMatchObject([1, { failed: 1, recorded: { regressions } }]);
  const text = await test("--record");
  expect(text.stdout).toContain("These files are not published yet.");
  expect(text.stdout).toContain("Passed with 1.0.0, and fail now:\n  routing: far off\n  routing: gone\n");
});

it("records nothing for a skill that the gateway does not have, and says what to do", async () => {
  await cases({ should_trigger: ["near by"] });
  skills = [];
  const ended = await test("--record");
  expect([ended.code, sent]).toEqual([5, []]);
  expect(ended.stderr).toContain("The gateway has no skill 'tide' to record results for. Push it first");
});

it("records nothing if a case could not run, a file cannot be read, there is no case, or the folder changed", async () => {
  await cases({ should_trigger: ["near by"], checks: [{ script: "a.js", expect: {} }] });
  const partly = await test("--record", "--json");
  expect([partly.code, JSON.parse(partly.stdout)]).toMatchObject([4, { passed: 1, failed: 0, recorded: null }]);
  expect(partly.stderr).toContain("Nothing was recorded, because not all cases ran.");
  await cases({ should_trigger: ["near by"], checks: [{ script: 7 }] });
  expect((await test("--record")).code).toBe(1);
  await cases({});
  expect((await test("--record")).code).toBe(4);
  await cases({ should_trigger: ["near by"] });
  meanwhile = () => writeFile(path.join(work.folder, "tide/SKILL.md"), skillText("tide", "Other."));
  const changed = await test("--record");
  expect([changed.code, changed.stderr]).toEqual([6, expect.stringContaining("The folder changed")]);
  expect(sent).toEqual([]);
});

it("records one kind of cases with --only, and for another name with --as", async () => {
  await cases({ should_trigger: ["near by"], checks: [{ script: "a.js", expect: {} }] });
  expect((await test("--record", "--only", "routing", "--as", "high-tide")).code).toBe(0);
  expect(sent).toHaveLength(1);
  expect(stub.seen.some((line) => line.startsWith("GET /api/v1/kinds/skills?name=high-tide "))).toBe(true);
  expect((await test("--as", "high-tide")).code).toBe(2);
});
