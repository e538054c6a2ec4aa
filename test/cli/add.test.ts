// `skillgate add`: from the archive of a Git host and from the index of a website; everything is checked first.

import { createHash } from "node:crypto";
import { readFile, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { skillZip } from "../support/skill";
import { commitHeader, Stub, send, skillText, type TarEntry, tar, WorkFolder } from "../support/skillgate";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const TOP = "skills-0123456";
const entries: TarEntry[] = [
  commitHeader(COMMIT),
  { path: `${TOP}/`, type: "5" },
  { path: `${TOP}/README.md`, text: "a repository" },
  { path: `${TOP}/skills/tide/SKILL.md`, text: skillText("tide") },
  { path: `${TOP}/skills/tide/scripts/run.sh`, text: "echo hi", mode: 0o755 },
  { path: `${TOP}/skills/moon/SKILL.md`, text: skillText("moon") },
  { path: `${TOP}/skills/bad/SKILL.md`, text: "---\nname: bad\n---\n" },
];

let work: WorkFolder;
let stub: Stub;
let archive: Buffer;
/** Number of bytes of the archive that are sent before the connection ends. */
let cut: number | null;
let index: Record<string, unknown>;

beforeEach(async () => {
  work = await WorkFolder.make();
  archive = gzipSync(tar(entries));
  cut = null;
  index = {};
  stub = await Stub.open((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://stub");
    if (/^\/org\/skills\/tar\.gz\/(HEAD|v1)$/.test(pathname)) {
      if (cut === null) return response.end(archive);
      response.writeHead(200, { "content-length": String(archive.length) });
      return response.write(archive.subarray(0, cut), () => response.destroy());
    }
    if (pathname === "/api/v1/kinds/skills/upload") {
      const name = /filename="(\w+)\.zip"/.exec(request.body.toString("latin1"))?.[1] ?? "";
      if (name === "moon")
        return send(response, 409, { code: "VERSION_EXISTS", detail: "Version 1.0.0 exists.", version: "1.0.0" });
      const made = {
        metadata: { name, labels: { id: `id-${name}` } },
        spec: {},
        status: { version_id: "ver_1", warnings: [] },
      };
      return send(response, 201, made);
    }
    const found = index[pathname];
    if (found === undefined) return response.writeHead(404).end();
    return Buffer.isBuffer(found) ? response.end(found) : send(response, 200, found);
  });
});
afterEach(async () => {
  stub.close();
  await work.remove();
});

const add = (...args: string[]) => work.run("add", ...args, "--source", stub.url);
const text = (file: string) => readFile(path.join(work.folder, file), "utf8");

describe("a repository", () => {
  it("gives the skill below a path, with its modes, at a commit", async () => {
    const ended = await add("github:org/skills/skills/tide@v1", "--dir", "out");
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`from github:org/skills@${COMMIT}`) });
    expect(await work.files("out")).toEqual(["tide", "tide/SKILL.md", "tide/scripts", "tide/scripts/run.sh"]);
    expect((await stat(path.join(work.folder, "out/tide/scripts/run.sh"))).mode & 0o111).not.toBe(0);
  });

  it("gives several that are named, and asks which where none is", async () => {
    const unnamed = await add("github:org/skills", "--dir", "out");
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining("The source has 3 skills") });
    expect((await add("github:org/skills", "--skill", "tide,moon", "--dir", "out")).code).toBe(0);
    expect((await work.files("out")).filter((file) => !file.includes("/"))).toEqual(["moon", "tide"]);
    expect(await add("github:org/skills", "--skill", "sun", "--dir", "out")).toMatchObject({ code: 5 });
  });

  it("added again reports unchanged and changed skills, and replaces nothing without --replace", async () => {
    const [from, ...more] = ["github:org/skills/skills/tide", "--dir", "out"];
    expect((await add(from, ...more)).code).toBe(0);
    const same = await add(from, ...more, "--json");
    expect([same.code, JSON.parse(same.stdout)]).toMatchObject([
      0,
      { added: [{ name: "tide", what: "same", files: [] }] },
    ]);
    // The user has changed it. A hidden file counts, because it would be deleted too.
    await work.write({ "out/tide/SKILL.md": skillText("tide", "Mine."), "out/tide/.notes": "mine" });
    const before = await work.files("out");
    const differs = await add(from, ...more);
    expect(differs).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/removed {2}\.notes\n {2}changed {2}SKILL\.md/),
    });
    expect([await work.files("out"), await text("out/tide/SKILL.md")]).toEqual([before, skillText("tide", "Mine.")]);
    const replaced = await add(from, ...more, "--replace", "--json");
    expect([replaced.code, JSON.parse(replaced.stdout)]).toMatchObject([
      0,
      {
        added: [
          {
            what: "changed",
            files: [
              { path: ".notes", what: "removed" },
              { path: "SKILL.md", what: "changed" },
            ],
          },
        ],
      },
    ]);
    expect(await text("out/tide/SKILL.md")).toBe(skillText("tide"));
    expect(await work.files("out")).not.toContain("tide/.notes");
  });

  it("leaves a file and a link be that stand where a folder would", async () => {
    await work.write({ "out/tide": "a file", "elsewhere/precious.txt": "mine" });
    await symlink(path.join(work.folder, "elsewhere"), path.join(work.folder, "out/moon"));
    const ended = await add("github:org/skills", "--skill", "tide,moon", "--dir", "out");
    expect(ended).toMatchObject({ code: 6, stderr: expect.stringContaining("is not a folder") });
    expect(ended.stderr).toContain("removed  precious.txt");
    expect([await text("out/tide"), await text("out/moon/precious.txt")]).toEqual(["a file", "mine"]);
    // Replaces the link, never its target.
    expect((await add("github:org/skills/skills/moon", "--dir", "out", "--replace")).code).toBe(0);
    expect([await text("elsewhere/precious.txt"), await text("out/moon/SKILL.md")]).toEqual([
      "mine",
      skillText("moon"),
    ]);
  });

  it("skips invalid skills and adds the others", async () => {
    const ended = await add("github:org/skills", "--all", "--dir", "out", "--json");
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("bad is not valid and was not added")]);
    expect((await work.files("out")).filter((file) => !file.includes("/"))).toEqual(["moon", "tide"]);
  });

  it("publishes to the user's scope, and sends the key to the gateway only", async () => {
    const ended = await work.run(
      "add",
      "github:org/skills/skills/tide",
      "--source",
      stub.url,
      "--url",
      stub.url,
      "--key",
      "sgw_mine",
    );
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("tide  was published as ver_1") });
    expect(stub.seen).toEqual([
      "GET /org/skills/tar.gz/HEAD no key",
      "POST /api/v1/kinds/skills/upload Bearer sgw_mine",
    ]);
  });

  it("continues after a skill that the gateway rejects, and reports it", async () => {
    const args = ["add", "github:org/skills", "--skill", "moon,tide", "--source", stub.url, "--url", stub.url];
    const ended = await work.run(...args, "--key", "sgw_mine");
    expect(ended).toMatchObject({ code: 6, stdout: expect.stringContaining("tide  was published as ver_1") });
    expect(ended.stderr).toContain("moon: 409 VERSION_EXISTS: Version 1.0.0 exists.");
  });

  it("sends GITHUB_TOKEN to GitHub only", async () => {
    const args = ["add", "github:org/skills/skills/tide", "--source", stub.url, "--dir", "out"];
    expect((await work.runWith({ env: { GITHUB_TOKEN: "ghp_secret" } }, ...args)).code).toBe(0);
    expect(stub.seen).toEqual(["GET /org/skills/tar.gz/HEAD no key"]);
  });

  it.each([
    ["a link", () => gzipSync(tar([...entries, { path: `${TOP}/skills/tide/link`, type: "2" }])), 1, "contains a link"],
    [
      "a path that leads out",
      () => gzipSync(tar([...entries, { path: `${TOP}/skills/tide/../../../evil`, text: "x" }])),
      1,
      "was not added",
    ],
    [
      "two files that are one on other machines",
      () => gzipSync(tar([...entries, { path: `${TOP}/skills/tide/Skill.MD`, text: "other" }])),
      1,
      "was not added",
    ],
    [
      "a name with a command to the terminal",
      () => gzipSync(tar([...entries, { path: `${TOP}/skills/tide/a\u001b[2J.md`, text: "x" }])),
      1,
      "was not added",
    ],
    [
      "a name with a backslash",
      () => gzipSync(tar([...entries, { path: `${TOP}/skills/tide/..\\..\\evil.md`, text: "x" }])),
      1,
      "was not added",
    ],
    ["what is no gzip", () => Buffer.from("<html>"), 4, "not a tar.gz"],
    ["what is no tar", () => gzipSync(Buffer.alloc(2048, 7)), 1, "not a supported archive"],
    ["an archive without its end", () => gzipSync(tar(entries).subarray(0, 2600)), 4, "interrupted"],
  ])("of %s nothing is written", async (_, make, code, told) => {
    archive = make();
    const ended = await add("github:org/skills/skills/tide", "--dir", "out");
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(told) });
    expect(ended.stderr).not.toContain("\u001b");
    expect(await work.files()).toEqual([]);
  });

  it("of half a download nothing is written", async () => {
    cut = Math.floor(archive.length / 2);
    const ended = await add("github:org/skills/skills/tide", "--dir", "out");
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringMatching(/interrupted/) });
    expect(await work.files()).toEqual([]);
  });

  it("that does not exist is reported", async () => {
    expect(await add("github:org/none", "--dir", "out")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("org/none not found"),
    });
  });
});

describe("a site with an index", () => {
  const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
  const digest = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const md = Buffer.from(skillText("tide"));
  const inTar = gzipSync(
    tar([
      { path: "SKILL.md", text: skillText("moon") },
      { path: "data/a.txt", text: "a" },
    ]),
  );
  const inZip = Buffer.from(skillZip({ name: "sun" }));
  const artifact = (name: string, type: string, url: string, bytes: Buffer) => ({
    name,
    type,
    url,
    digest: digest(bytes),
    description: name,
  });

  beforeEach(() => {
    index = {
      "/.well-known/agent-skills/index.json": {
        $schema: SCHEMA,
        skills: [
          artifact("tide", "skill-md", "/files/tide.md", md),
          artifact("moon", "archive", "moon.tar.gz", inTar),
          artifact("sun", "archive", "/files/sun.zip", inZip),
          { name: "future", type: "other", url: "/x", digest: digest(md) },
        ],
      },
      "/files/tide.md": md,
      "/.well-known/agent-skills/moon.tar.gz": inTar,
      "/files/sun.zip": inZip,
    };
  });

  it("gives each kind of artifact", async () => {
    const ended = await work.run("add", stub.url, "--all", "--dir", "out");
    expect(ended.code).toBe(0);
    expect(await work.files("out")).toEqual([
      "moon",
      "moon/SKILL.md",
      "moon/data",
      "moon/data/a.txt",
      "sun",
      "sun/SKILL.md",
      "tide",
      "tide/SKILL.md",
    ]);
  });

  it("is believed only by its digests", async () => {
    index["/files/tide.md"] = Buffer.from(skillText("tide", "Something else."));
    const ended = await work.run("add", stub.url, "--skill", "tide", "--dir", "out");
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The digest of tide does not match the index"),
    });
    expect(await work.files()).toEqual([]);
  });

  it("of the first version is read too", async () => {
    index = {
      "/docs/.well-known/skills/index.json": {
        skills: [{ name: "tide", description: "", files: ["SKILL.md", "data/a.txt"] }],
      },
      "/docs/.well-known/skills/tide/SKILL.md": md,
      "/docs/.well-known/skills/tide/data/a.txt": Buffer.from("a"),
    };
    expect((await work.run("add", `${stub.url}/docs`, "--dir", "out")).code).toBe(0);
    expect(await text("out/tide/data/a.txt")).toBe("a");
  });

  it.each([
    ["another kind", { $schema: "https://example.com/9", skills: [] }, 1, "is an unsupported index"],
    ["no index", { other: true }, 1, "is not an index of skills"],
  ])("of %s is refused", async (_, content, code, told) => {
    index = { "/.well-known/agent-skills/index.json": content };
    expect(await work.run("add", stub.url, "--dir", "out")).toMatchObject({
      code,
      stderr: expect.stringContaining(told),
    });
  });

  it("without an index is reported, and invalid names are skipped", async () => {
    index = {};
    expect(await work.run("add", stub.url, "--dir", "out")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("has no index"),
    });
    index = { "/.well-known/skills/index.json": { skills: [{ name: "../evil", files: ["SKILL.md"] }] } };
    expect(await work.run("add", stub.url, "--dir", "out")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("was skipped"),
    });
    expect(await work.files()).toEqual([]);
  });
});
