// The command line: each command against a scripted gateway, and its messages after errors.

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stub, send, skillText, WorkFolder } from "../support/skillgate";

const ID = "skl_01K0000000000000000000TIDE";
const skill = (version: string, versionId: string) => ({
  metadata: { name: "tide", namespace: "default", labels: { id: ID, user_id: "ann" } },
  spec: { description: "Tides.", version, tags: [], dependencies: [] },
  status: { version_id: versionId, warnings: [], tokens: { line: 9, instructions: 20, files: 0 }, state: "available" },
});
const VERSIONS = [
  { version_id: "ver_2", version: "1.1.0", is_current: true, created_at: "2026-11-02T00:00:00.000Z", yanked_at: null },
  { version_id: "ver_1", version: "1.0.0", is_current: false, created_at: "2026-11-01T00:00:00.000Z", yanked_at: null },
];
const KEY = "sgw_good";

let work: WorkFolder;
let gateway: Stub;
/** A URL where nothing listens. */
let nowhere: string;
beforeAll(async () => {
  work = await WorkFolder.make();
  const gone = await Stub.open(() => {});
  nowhere = gone.url;
  gone.close();
  gateway = await Stub.open((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stub");
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return send(response, 401, { code: "UNAUTHENTICATED", detail: "The key is not good." });
    const at = `${request.method} ${pathname.replace("/api/v1/kinds/skills", "S")}`;
    switch (at) {
      case "GET /api/v1/me":
        return send(response, 200, { user_id: "ann", role: "user" });
      case "GET S":
        return send(response, 200, {
          items: searchParams.get("name") === "nobody" ? [] : [skill("1.1.0", "ver_2")],
          next_cursor: null,
        });
      case "GET S/unified":
        return send(response, 200, [
          { id: ID, name: "tide", namespace: "default", description: "Tides.", version: "1.1.0", is_public: false },
        ]);
      case `GET S/${ID}/versions`:
        return send(response, 200, { items: VERSIONS, next_cursor: null });
      case `POST S/${ID}/versions/ver_1/activate`:
        return send(response, 200, skill("1.0.0", "ver_1"));
      case `POST S/${ID}/versions/ver_2/yank`:
        return send(response, 200, skill("1.0.0", "ver_1"));
      case `GET S/${ID}/usage`: {
        const counts = { loads: 3, calls: 2, failures: 1, tokens: 60 };
        const versions = [{ version: "1.1.0", version_id: "ver_2", ...counts }];
        return send(response, 200, {
          skill_name: "tide",
          since: "2026-10-24",
          until: "2026-11-22",
          totals: counts,
          days: [{ day: "2026-11-02", ...counts }],
          versions,
        });
      }
      case "POST S/drafts/tide/promote":
        return send(response, 201, skill("1.2.0", "ver_3"));
      case "DELETE S/drafts/tide":
        return response.writeHead(204).end();
      case "POST S/upload":
        return send(response, 201, skill("1.1.1", "ver_4"));
      default:
        return send(response, 404, { code: "NOT_FOUND", detail: `There is no ${at}.` });
    }
  });
});
afterAll(async () => {
  gateway.close();
  await work.remove();
});

const there = () => ["--url", gateway.url, "--key", KEY];

/** Every command that sends requests, with its arguments. */
const TALKING: [string, string[]][] = [
  ["list", []],
  ["list", ["--drafts"]],
  ["search", ["tides"]],
  ["info", ["tide"]],
  ["versions", ["tide"]],
  ["diff", ["tide"]],
  ["activate", ["tide", "1.0.0"]],
  ["yank", ["tide", "1.1.0"]],
  ["usage", ["tide"]],
  ["promote", ["tide"]],
  ["push", ["tide"]],
  ["push", ["tide", "--draft"]],
  ["dev", ["tide", "--once"]],
  ["pull", ["tide"]],
  ["pull", ["--task", "t1"]],
  ["add", ["NOWHERE", "--dir", "elsewhere"]],
];
/** Commands that send no request. */
const LOCAL = new Set(["add"]);

describe("what goes wrong", () => {
  beforeAll(() => work.write({ "tide/SKILL.md": skillText("tide") }));

  it.each(TALKING.filter(([name]) => !LOCAL.has(name)))(
    "%s %j: a wrong key is reported, and exits with 3",
    async (name, args) => {
      const ended = await work.run(name, ...args, "--url", gateway.url, "--key", "sgw_wrong");
      expect(ended).toMatchObject({ code: 3, stdout: "" });
      expect(ended.stderr).toContain("401 UNAUTHENTICATED: The key is not good. Sign in again: skillgate login");
    },
  );

  it.each(TALKING)("%s %j: where nothing answers it says so, and ends with 4", async (name, args) => {
    const before = await work.files();
    const typed = args.map((arg) => arg.replace("NOWHERE", nowhere));
    const ended = await work.run(name, ...typed, "--url", nowhere, "--key", KEY);
    expect(ended).toMatchObject({ code: 4, stdout: "" });
    expect(ended.stderr).toContain(`${nowhere} does not respond (ECONNREFUSED).`);
    expect(ended.stderr).not.toContain("    at ");
    expect(await work.files()).toEqual(before);
  });

  it.each(TALKING.filter(([name]) => !LOCAL.has(name)))(
    "%s %j: without any key it says how to sign in, and ends with 3",
    async (name, args) => {
      const ended = await work.run(name, ...args, "--url", gateway.url);
      expect(ended).toMatchObject({ code: 3, stdout: "" });
      expect(ended.stderr).toContain(`skillgate login --url ${gateway.url}`);
    },
  );

  it("a server that is not a gateway is reported", async () => {
    const page = await Stub.open((_request, response) => response.end("<html>hello</html>"));
    const ended = await work.run("info", "tide", "--url", page.url, "--key", KEY);
    page.close();
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining("is not a supported gateway") });
  });

  it.each([
    [["dance"], "Unknown command: dance"],
    [["list", "--frobnicate"], "--frobnicate"],
    [["info"], "Argument missing."],
    [["yank", "a", "b", "c"], "Unexpected argument: c"],
    [["push", "nowhere"], "has no SKILL.md"],
    [["push", "tide", "--public", "--group", "g"], "exclude each other"],
    [["pull"], "No skills. Name some, or use --task."],
    [["pull", "tide", "--clear-cache", "--skip-existing"], "exclude each other"],
    [["add", "ftp://x"], "neither github:owner/repo"],
    [["add", "github:owner/../x"], "is not a repository"],
    [["list", "--url", "nonsense"], "is not the URL of a gateway"],
    [["init", "Not A Name"], "is not a valid skill name"],
  ])("%j is refused with how it is written, and ends with 2", async (args, told) => {
    const ended = await work.run(...args, ...(args[0] === "add" ? ["--dir", "x"] : []));
    expect([ended.code, ended.stdout]).toEqual([2, ""]);
    expect(ended.stderr).toContain(told);
  });

  it("exits with 5 for an unknown name", async () => {
    expect(await work.run("info", "nobody", ...there())).toMatchObject({
      code: 5,
      stderr: "Skill 'nobody' not found. Check its name and who can see it.\n",
    });
  });
});

describe("signing in", () => {
  it("checks a key and stores it for this gateway only, readable by the user only", async () => {
    const refused = await work.run("login", "--url", gateway.url, "--key", "sgw_wrong");
    expect(refused.code).toBe(3);
    expect(await work.files(".config")).toEqual([]);
    const done = await work.run("login", "--url", gateway.url, "--key", KEY);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("as ann") });
    expect(done.stdout + done.stderr).not.toContain(KEY);
    const file = path.join(work.folder, ".config", "skillgate", "gateways.json");
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect((await work.run("list")).stdout).toBe("tide  1.1.0  own  Tides.\n");
    const other = await Stub.open((_request, response) => send(response, 200, []));
    const elsewhere = await work.run("list", "--url", other.url);
    other.close();
    expect([elsewhere.code, other.seen]).toEqual([3, []]);
  });
});

describe("the registry from the command line", () => {
  it("shows versions, rolls back, yanks, and shows usage", async () => {
    expect((await work.run("versions", "tide", ...there())).stdout).toBe(
      "*  1.1.0  ver_2  2026-11-02T00:00:00\n   1.0.0  ver_1  2026-11-01T00:00:00\n",
    );
    expect((await work.run("activate", "tide", "1.0.0", ...there())).stdout).toBe("tide 1.0.0 is current now\n");
    expect((await work.run("yank", "tide", "1.1.0", ...there())).stdout).toBe(
      "tide 1.1.0 is yanked; it stands at 1.0.0\n",
    );
    expect(await work.run("activate", "tide", "9.9.9", ...there())).toMatchObject({ code: 5 });
    expect((await work.run("usage", "tide", ...there())).stdout).toMatch(
      /total +3 +2 +1 +60\n\s*2026-11-02 +3 +2 +1 +60/,
    );
    expect((await work.run("promote", "draft:tide", ...there())).stdout).toBe("tide 1.2.0 was published as ver_3\n");
    expect((await work.run("promote", "tide", "--discard", ...there())).stdout).toBe("draft:tide is deleted\n");
  });

  it.each(
    TALKING.filter(([name]) =>
      ["list", "search", "info", "versions", "usage", "promote", "push"].includes(name),
    ).filter(([, args]) => !args.includes("--draft") && !args.includes("--drafts")),
  )("%s %j has one JSON document on stdout with --json", async (name, args) => {
    const ended = await work.run(name, ...args, "--json", ...there());
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toBeTypeOf("object");
    expect(ended.stderr).toBe("");
  });

  it("raises the version before a push, and nothing else in the file", async () => {
    const text = skillText("tide", "The version: 9.9.9 stays.", "1.1.0");
    await work.write({ "tide/SKILL.md": text });
    const pushed = await work.run("push", "tide", "--bump", ...there());
    expect(pushed).toMatchObject({ code: 0, stdout: expect.stringContaining("was published as ver_4") });
    expect(await readFile(path.join(work.folder, "tide", "SKILL.md"), "utf8")).toBe(text.replace('"1.1.0"', '"1.1.1"'));
  });
});

describe("check without a gateway", () => {
  it("reads as the gateway does, says what it could not judge, and ends with 1 for what is not valid", async () => {
    await work.write({ "good/SKILL.md": skillText("good"), "bad/SKILL.md": "---\nname: bad\n---\n" });
    const good = await work.run("check", "good", "--url", nowhere, "--key", KEY);
    expect(good).toMatchObject({ code: 0, stdout: "good 1.0.0: valid, 1 files\n" });
    expect(good.stderr).toContain("Tokens, scripts and search were not checked: http");
    const bad = await work.run("check", "bad", "--json");
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({ valid: false, issues: [{ code: "DESCRIPTION_MISSING" }] });
  });
});
