// `skillgate import`: starts or finds an import, follows it, and reports the result of each skill.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Stub, send, WorkFolder } from "../support/skillgate";

const KEY = "sgw_mine";
const ID = "imp_one";
const NONE = { created: 0, updated: 0, unchanged: 0, refused: 0, failed: 0, removed: 0 };
const item = (name: string, state: string, problem: object | null = null, removed_at: string | null = null) => ({
  ...{ name, state, problem, removed_at, run: 1, skill_id: null, version_id: null, digest: null },
});
const whole = {
  ...{ id: ID, source: { type: "index", url: "https://site.dev" }, namespace: "default", mirror: false, run: 1 },
  ...{ state: "done", problem: null, cursor: "b", total: 2, next_at: null, counts: NONE, items: [], next_cursor: null },
};

let work: WorkFolder;
let stub: Stub;
/** The gateway's responses in order; the last one repeats. */
let looks: object[];
let sent: { method: string; body: unknown }[];

beforeEach(async () => {
  work = await WorkFolder.make();
  [looks, sent] = [[whole], []];
  stub = await Stub.open((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stub");
    const method = request.method ?? "";
    if (!pathname.startsWith("/api/v1/imports")) return send(response, 404, { code: "NOT_FOUND", detail: "Nothing." });
    if (method === "POST") {
      sent.push({ method: pathname, body: request.body.length > 0 ? JSON.parse(request.body.toString()) : null });
      if (pathname.endsWith("/cancel")) return send(response, 200, { ...whole, state: "cancelled" });
      return send(response, 202, { ...whole, state: "running", cursor: null, total: null });
    }
    if (pathname === "/api/v1/imports") return send(response, 200, { items: [whole, { ...whole, mirror: true }] });
    if (!pathname.endsWith(ID)) return send(response, 404, { code: "IMPORT_NOT_FOUND", detail: "There is none." });
    const now = looks.length > 1 ? looks.shift() : looks[0];
    const page = searchParams.get("cursor");
    send(response, 200, page === null ? now : { ...now, items: [item("last", "created")], next_cursor: null });
  });
});
afterEach(async () => {
  stub.close();
  await work.remove();
});

const run = (...args: string[]) => work.run("import", ...args, "--url", stub.url, "--key", KEY);

describe("a new import", () => {
  it("is sent as entered, followed, and reported skill by skill", async () => {
    const counts = { ...NONE, created: 2, unchanged: 1 };
    looks = [
      { ...whole, state: "running", cursor: null, total: null },
      { ...whole, state: "running", counts: { ...NONE, created: 1 }, cursor: "a" },
      { ...whole, counts, items: [item("a", "created"), item("b", "unchanged")], next_cursor: "b" },
    ];
    const typed = ["--path", "skills", "--secret", "KEY", "--secret-header", "private-token", "--group", "crew"];
    const ended = await run("https://codeload.dev/x.tgz", "--type", "archive", ...typed);
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining("1 of 2 skills: a")]);
    expect(sent).toEqual([
      {
        method: "/api/v1/imports",
        body: {
          source: {
            ...{ type: "archive", url: "https://codeload.dev/x.tgz", path: "skills" },
            ...{ secret: "KEY", secret_header: "private-token" },
          },
          namespace: "crew",
        },
      },
    ]);
    expect(ended.stdout).toMatch(/created\s+a\n.*created\s+last\n/s);
    expect(ended.stdout).not.toMatch(/unchanged\s+b/);
    expect(ended.stdout).toContain(`${ID} is done: 2 created, 1 unchanged`);
    expect(stub.seen.every((line) => line.endsWith(`Bearer ${KEY}`))).toBe(true);
  });

  it("is everybody's, or a mirror, only if that is said", async () => {
    await run("https://site.dev", "--public", "--mirror", "--no-wait");
    const source = { type: "index", url: "https://site.dev" };
    expect(sent.map(({ body }) => body)).toEqual([{ source, namespace: "public", mirror: true }]);
    expect(stub.seen).toHaveLength(1);
  });
});

describe("how it ends", () => {
  const problem = (code: string) => ({ code, message: `It is ${code}.` });
  const ENDS: [what: string, report: object, code: number, says: string][] = [
    ["all is well", {}, 0, "the source has no skills"],
    [
      "a skill failed",
      { counts: { ...NONE, failed: 1, refused: 1 }, items: [item("a", "failed", problem("DIGEST_MISMATCH"))] },
      1,
      "DIGEST_MISMATCH: It is",
    ],
    [
      "a name is another's",
      { counts: { ...NONE, refused: 1 }, items: [item("a", "refused", problem("NAME_TAKEN"))] },
      6,
      "NAME_TAKEN",
    ],
    [
      "the source has removed one",
      { counts: { ...NONE, removed: 1 }, items: [item("a", "unchanged", null, "2026-01-01")] },
      0,
      "removed at the source  a",
    ],
    ["the source says what is no index", { state: "failed", problem: problem("SOURCE_ABSENT") }, 1, "SOURCE_ABSENT"],
    [
      "the source does not answer",
      { state: "failed", problem: problem("SOURCE_UNREACHABLE") },
      4,
      "SOURCE_UNREACHABLE",
    ],
    ["the source wants a key", { state: "failed", problem: problem("SOURCE_DENIED") }, 3, "SOURCE_DENIED"],
    ["its key has ended", { state: "stopped", problem: problem("IMPORTER_ENDED") }, 3, "IMPORTER_ENDED"],
    ["it is to go on later", { state: "waiting", next_at: "2026-11-24T00:00:00Z" }, 4, "It continues at 2026-11-24"],
    ["somebody has cancelled it", { state: "cancelled" }, 1, "is cancelled"],
  ];
  it.each(ENDS)("%s", async (_, report, code, says) => {
    looks = [{ ...whole, ...report }];
    const ended = await run(ID);
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([code, expect.stringContaining(says)]);
    expect(sent).toEqual([]);
  });

  it("prints everything as JSON, and nothing else on stdout", async () => {
    looks = [{ ...whole, items: [item("a", "created")], next_cursor: "a" }];
    const { code, stdout, stderr } = await run(ID, "--json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ id: ID, state: "done", items: [{ name: "a" }, { name: "last" }] });
  });
});

describe("an import that is there", () => {
  it("is listed, and cancelled by its id", async () => {
    const listed = await run();
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringMatching(/imp_one {2}done +default {2}index https.*done, mirror/s),
    ]);
    const ended = await run(ID, "--cancel");
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining("is cancelled")]);
    expect(sent).toEqual([{ method: `/api/v1/imports/${ID}/cancel`, body: null }]);
  });

  it("exits with 5 if it does not exist, and with 2 for contradicting options, without a request", async () => {
    expect((await run("imp_other")).code).toBe(5);
    const asked = stub.seen.length;
    for (const args of [
      [ID, "--mirror"],
      ["--cancel"],
      ["https://x.dev", "--cancel"],
      ["https://x.dev", "--group", "a", "--public"],
    ])
      expect([args, (await run(...args)).code]).toEqual([args, 2]);
    expect(stub.seen).toHaveLength(asked);
  });
});
